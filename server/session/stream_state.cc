// SPDX-License-Identifier: Apache-2.0
#include "server/session/stream_state.h"

#include <array>
#include <cstddef>

namespace causeway {
namespace {

constexpr Transition To(StreamState next) { return {next, std::nullopt, false}; }
constexpr Transition Refuse(Reason reason) { return {StreamState::kEnded, reason, false}; }
constexpr Transition Ignore(StreamState state) { return {state, std::nullopt, true}; }

using Row = std::array<Transition, kStreamStateCount>;

constexpr auto kAwaitingOpen = StreamState::kAwaitingOpen;
constexpr auto kStreaming = StreamState::kStreaming;
constexpr auto kFinishing = StreamState::kFinishing;
constexpr auto kStopping = StreamState::kStopping;
constexpr auto kEnded = StreamState::kEnded;

constexpr Transition kTooEarly = Refuse(Reason::kOpenExpected);
constexpr Transition kOpenTwice = Refuse(Reason::kOpenRepeated);
constexpr Transition kLate = Refuse(Reason::kChunkAfterEnd);
constexpr Transition kUnknown = Refuse(Reason::kNotImplemented);
constexpr Transition kGoAway = Refuse(Reason::kDraining);
constexpr Transition kTooIdle = Refuse(Reason::kIdleTimeout);
constexpr Transition kTooSlow = Refuse(Reason::kSlowConsumer);
constexpr Transition kNothing = Ignore(kEnded);

// Rows: StreamEvent. Columns: StreamState. In kStopping the client learns from DRAINING that chunks
// without ChunkDone were not decoded; credits and pings still count, so that the rest can leave.
constexpr std::array<Row, kStreamEventCount> kTable{{
    // kAwaitingOpen, kStreaming, kFinishing, kStopping, kEnded
    {{To(kStreaming), kOpenTwice, kOpenTwice, Ignore(kStopping), kNothing}},         // kOpen
    {{kTooEarly, To(kStreaming), kLate, Ignore(kStopping), kNothing}},               // kChunk
    {{kTooEarly, To(kStreaming), kLate, Ignore(kStopping), kNothing}},               // kReset
    {{kTooEarly, To(kStreaming), To(kFinishing), To(kStopping), kNothing}},          // kCredit
    {{kTooEarly, To(kStreaming), To(kFinishing), To(kStopping), kNothing}},          // kPing
    {{kTooEarly, To(kFinishing), Ignore(kFinishing), Ignore(kStopping), kNothing}},  // kEnd
    {{kTooEarly, To(kFinishing), To(kFinishing), To(kStopping), kNothing}},          // kHalfClose
    {{kTooEarly, kUnknown, kUnknown, Ignore(kStopping), kNothing}},                  // kUnknown...
    {{kGoAway, To(kStopping), Ignore(kFinishing), Ignore(kStopping), kNothing}},     // kDrain
    {{kTooIdle, kTooIdle, Ignore(kFinishing), Ignore(kStopping), kNothing}},         // kIdle
    {{Ignore(kAwaitingOpen), kTooSlow, kTooSlow, kTooSlow, kNothing}},               // kSlow...
    {{To(kEnded), To(kEnded), To(kEnded), To(kEnded), To(kEnded)}},                  // kCancel
}};

}  // namespace

const Transition& NextState(StreamState state, StreamEvent event) {
  return kTable[static_cast<std::size_t>(event)][static_cast<std::size_t>(state)];
}

std::string_view EventName(StreamEvent event) {
  switch (event) {
    case StreamEvent::kOpen:
      return "open";
    case StreamEvent::kChunk:
      return "latent_chunk";
    case StreamEvent::kReset:
      return "reset";
    case StreamEvent::kCredit:
      return "credit";
    case StreamEvent::kPing:
      return "ping";
    case StreamEvent::kEnd:
      return "end";
    case StreamEvent::kHalfClose:
      return "half-close";
    case StreamEvent::kUnknownMessage:
      return "a message that this server does not know";
    case StreamEvent::kDrain:
      return "drain";
    case StreamEvent::kIdle:
      return "idle timeout";
    case StreamEvent::kSlowConsumer:
      return "credit timeout";
    case StreamEvent::kCancel:
      return "cancel";
  }
  return "";
}

std::string_view AllowedMessages(StreamState state) {
  switch (state) {
    case StreamState::kAwaitingOpen:
      return "open";
    case StreamState::kStreaming:
      return "latent_chunk, reset, credit, ping, end";
    case StreamState::kFinishing:
    case StreamState::kStopping:
      return "credit, ping";
    case StreamState::kEnded:
      return "nothing";
  }
  return "";
}

}  // namespace causeway
