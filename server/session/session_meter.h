// SPDX-License-Identifier: Apache-2.0
// What a stream tells whoever counts: the interface between sessions and metrics. Every function
// here does nothing, so that a session without metrics has one of these.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

#include "server/base/reason.h"
#include "server/session/messages.h"

namespace causeway {

/// A frame whose first fragment is handed to the transport.
struct SentFrame {
  std::chrono::nanoseconds since_arrival{0};         // of its chunk's last message
  bool is_first = false;                             // of its session, or since a reset
  bool follows_reset = false;                        // with is_first
  std::optional<std::chrono::nanoseconds> interval;  // since the session's frame before
  std::optional<std::chrono::nanoseconds> slack;     // how long before it was due; negative: after
  std::chrono::nanoseconds stall{0};                 // that a viewer waited for it
  std::chrono::nanoseconds media{0};  // that it is shown for; 0 without a target rate
  bool is_late = false;
};

/// One stream that was admitted. Called with its session's lock held, one call at a time: must not
/// wait nor call back. Destroyed with the session's end.
class SessionMeter {
 public:
  virtual ~SessionMeter() = default;

  virtual void OnCacheMade(std::int64_t /*bytes*/) {}
  /// Once nothing of it is left. On any thread, without the lock, at most once, after OnEnd or
  /// before.
  virtual void OnCacheFreed() {}

  /// A message with a payload, whatever becomes of it.
  virtual void OnMessageIn(std::int64_t /*payload_bytes*/) {}
  /// `is_last_credit`: its session may send no chunk more until one is answered.
  virtual void OnChunkAccepted(bool /*is_last_credit*/) {}
  virtual void OnChunkRefused(Reason /*reason*/) {}
  virtual void OnReset() {}

  virtual void OnStep(const decoder::StepTimes& /*times*/, int /*frames*/) {}
  /// The last latent of a chunk was decoded.
  virtual void OnChunkDecoded() {}

  virtual void OnFrameSent(const SentFrame& /*frame*/) {}
  virtual void OnMessageOut(std::int64_t /*payload_bytes*/, bool /*completes_frame*/) {}
  virtual void OnFrameDropped() {}
  virtual void OnChunkDone(const ChunkTiming& /*timing*/) {}
  /// Time that passed while only the want of frame credit kept the session from going on.
  virtual void OnCreditStall(std::chrono::nanoseconds /*duration*/) {}

  /// Once, before anything is freed. What was accepted and not answered by then is cancelled.
  virtual void OnEnd(const EndOutput& /*end*/, std::chrono::nanoseconds /*age*/) {}
};

/// The meters of all streams. Thread-safe; outlives them.
class StreamMeter {
 public:
  virtual ~StreamMeter() = default;

  /// A stream is admitted. Never null.
  virtual std::unique_ptr<SessionMeter> OnAdmitted(const OpenRequest& /*request*/) {
    return std::make_unique<SessionMeter>();
  }
  /// A stream failed before it was admitted.
  virtual void OnRefused(Reason /*reason*/) {}
};

}  // namespace causeway
