// SPDX-License-Identifier: Apache-2.0
// What has to become of a stream, in a few lines, to hold a Session against.
#pragma once

#include <cstdint>
#include <optional>

#include "server/session/stream_state.h"

namespace causeway {

inline constexpr int kMaxPending = 4;  // chunks without an answer

/// What the client may do, and what may happen to it.
enum class Act {
  kOpen,
  kBadOpen,
  kChunk,
  kHalfChunk,
  kOtherHalf,
  kGap,
  kNan,
  kWrongSize,
  kReset,
  kPastReset,
  kCredit,
  kNegativeCredit,
  kPing,
  kLongPing,
  kEnd,
  kHalfClose,
  kUnknown,
  kDrain,
  kCancel,
  kTick,
  kRun,
  kTake,
};
inline constexpr int kActs = static_cast<int>(Act::kTake) + 1;

/// What has to become of a stream.
struct Model {
  StreamState state = StreamState::kAwaitingOpen;
  std::optional<Reason> failure;
  std::uint64_t next_seq = 0;
  int pending = 0;
  bool is_assembling = false;
  bool is_over = false;  // the client knows how it ended
  bool is_cancelled = false;

  void End(std::optional<Reason> reason) {
    state = StreamState::kEnded;
    failure = reason;
  }
  // The model: what an act leads to, by the protocol's text.
  void Apply(Act act) {
    const bool is_chunk = act >= Act::kChunk && act <= Act::kWrongSize;
    const bool is_reset = act == Act::kReset || act == Act::kPastReset;
    if (act == Act::kCancel && !is_over) {
      is_cancelled = true;
      return End(std::nullopt);
    }
    if (state == StreamState::kEnded || act >= Act::kTick) return;
    if (state == StreamState::kAwaitingOpen) {
      if (act == Act::kOpen)
        state = StreamState::kStreaming;
      else
        End(act == Act::kBadOpen ? Reason::kBadGeometry
            : act == Act::kDrain ? Reason::kDraining
                                 : Reason::kOpenExpected);
      return;
    }
    if (act == Act::kNegativeCredit || act == Act::kLongPing) return End(Reason::kBadOption);
    if (state == StreamState::kStopping) return;
    if (act == Act::kOpen || act == Act::kBadOpen) return End(Reason::kOpenRepeated);
    if (act == Act::kUnknown) return End(Reason::kNotImplemented);
    if (state == StreamState::kFinishing && (is_chunk || is_reset)) {
      return End(Reason::kChunkAfterEnd);
    }
    if (state == StreamState::kFinishing) return;
    if (act == Act::kPastReset && next_seq > 0) return End(Reason::kBadReset);
    if (is_chunk) return ApplyChunk(act);
    if (act == Act::kEnd || act == Act::kHalfClose) state = StreamState::kFinishing;
    if (act == Act::kDrain) state = StreamState::kStopping;
  }
  void ApplyChunk(Act act) {
    if (is_assembling) {
      if (act == Act::kGap) return End(Reason::kBadFragment);
    } else {
      if (pending >= kMaxPending) return End(Reason::kInputOverrun);
      if (act == Act::kGap) return End(Reason::kChunkSeqGap);
    }
    if (act == Act::kHalfChunk && !is_assembling) {
      is_assembling = true;
      return;
    }
    const bool is_accepted = is_assembling ? act == Act::kOtherHalf : act == Act::kChunk;
    is_assembling = false;
    ++pending;
    if (is_accepted) ++next_seq;
  }
};

}  // namespace causeway
