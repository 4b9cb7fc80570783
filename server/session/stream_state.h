// SPDX-License-Identifier: Apache-2.0
// The states of a stream, and what each event means in each of them: the protocol's order of
// messages as one table. proto/README.md draws it.
#pragma once

#include <optional>
#include <string_view>

#include "server/base/reason.h"

namespace causeway {

enum class StreamState {
  kAwaitingOpen,  // nothing has arrived
  kStreaming,     // admitted; chunks arrive
  kFinishing,     // the client said End: what was accepted is being finished, then Summary
  kStopping,      // the server drains: what was accepted is being finished, then DRAINING
  kEnded,         // nothing is decoded any more; output may still be on its way
};
inline constexpr int kStreamStateCount = 5;

enum class StreamEvent {
  kOpen,
  kChunk,
  kReset,
  kCredit,
  kPing,
  kEnd,
  kHalfClose,
  kUnknownMessage,  // a message that this server does not know
  kDrain,           // the server is told to stop
  kIdle,            // nothing was heard for too long
  kSlowConsumer,    // frames waited for credit for too long
  kCancel,          // the client cancelled or is gone
};
inline constexpr int kStreamEventCount = 12;
inline constexpr StreamEvent kLastMessage =
    StreamEvent::kUnknownMessage;  // the rest are occurrences

/// What an event leads to: either the state after it, or the reason for which the stream fails.
struct Transition {
  StreamState next;
  std::optional<Reason> refusal;
  bool is_ignored = false;  // the event has no effect at all
};

const Transition& NextState(StreamState state, StreamEvent event);

/// The message or occurrence as proto/README.md names it: "open", "latent_chunk", ...
std::string_view EventName(StreamEvent event);

/// The messages that a client may send in that state, for error texts.
std::string_view AllowedMessages(StreamState state);

}  // namespace causeway
