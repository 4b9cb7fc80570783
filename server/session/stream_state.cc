// SPDX-License-Identifier: Apache-2.0
#include "server/session/stream_state.h"

#include <array>
#include <cstddef>

namespace causeway {
namespace {

constexpr Transition To(StreamState next) { return {next, std::nullopt, false}; }
constexpr Transition Refuse(Reason reason) { return {StreamState::kEnded, reason, false}; }
constexpr Transition Ignore(StreamState state) { return {state, std::nullopt, true}; }

using Row = std::array<Transition, kStreamEventCount>;

constexpr auto kStreaming = StreamState::kStreaming;
constexpr auto kFinishing = StreamState::kFinishing;
constexpr auto kStopping = StreamState::kStopping;
constexpr auto kEnded = StreamState::kEnded;

// Rows: StreamState. Columns: StreamEvent.
constexpr std::array<Row, kStreamStateCount> kTable{{
    // kAwaitingOpen
    {{To(kStreaming), Refuse(Reason::kOpenExpected), Refuse(Reason::kOpenExpected),
      Refuse(Reason::kOpenExpected), Refuse(Reason::kOpenExpected), Refuse(Reason::kDraining),
      To(kEnded)}},
    // kStreaming
    {{Refuse(Reason::kOpenRepeated), To(kStreaming), To(kFinishing), To(kFinishing),
      Refuse(Reason::kNotImplemented), To(kStopping), To(kEnded)}},
    // kFinishing
    {{Refuse(Reason::kOpenRepeated), Refuse(Reason::kChunkAfterEnd), Ignore(kFinishing),
      Ignore(kFinishing), Refuse(Reason::kNotImplemented), Ignore(kFinishing), To(kEnded)}},
    // kStopping: the client learns from DRAINING that chunks without ChunkDone were not decoded.
    {{Ignore(kStopping), Ignore(kStopping), Ignore(kStopping), Ignore(kStopping), Ignore(kStopping),
      Ignore(kStopping), To(kEnded)}},
    // kEnded
    {{Ignore(kEnded), Ignore(kEnded), Ignore(kEnded), Ignore(kEnded), Ignore(kEnded),
      Ignore(kEnded), To(kEnded)}},
}};

}  // namespace

const Transition& NextState(StreamState state, StreamEvent event) {
  return kTable[static_cast<std::size_t>(state)][static_cast<std::size_t>(event)];
}

std::string_view EventName(StreamEvent event) {
  switch (event) {
    case StreamEvent::kOpen:
      return "open";
    case StreamEvent::kChunk:
      return "latent_chunk";
    case StreamEvent::kEnd:
      return "end";
    case StreamEvent::kHalfClose:
      return "half-close";
    case StreamEvent::kUnknownMessage:
      return "a message that this server does not know";
    case StreamEvent::kDrain:
      return "drain";
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
      return "latent_chunk, end";
    case StreamState::kFinishing:
    case StreamState::kStopping:
    case StreamState::kEnded:
      return "nothing";
  }
  return "";
}

}  // namespace causeway
