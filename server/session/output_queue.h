// SPDX-License-Identifier: Apache-2.0
// What a session has to say and the transport has not taken yet, in order. Frames are cut into
// fragments when they are taken, so that no pixel is copied before.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <variant>

#include "server/scheduler/scheduler.h"
#include "server/session/messages.h"

namespace causeway {

/// Not thread-safe: guarded by its session.
class OutputQueue {
 public:
  /// One frame: `payload` of the fragment is the whole frame, its index and count are not used.
  void PushFrame(FragmentOutput frame);

  /// Anything but a frame. An EndOutput closes the queue: what comes after it is dropped.
  void Push(Output output);

  /// Drops what waits and closes the queue with a cancelled EndOutput, unless an EndOutput was
  /// already taken.
  void Cancel();

  /// The next output. Taking one says that the output before it was written. `now` times the
  /// sending of a chunk: ChunkDone carries the time since its first fragment was taken.
  std::optional<Output> Take(Clock::time_point now);

  /// The largest payload of a fragment. At least 1.
  void set_fragment_bytes(std::int64_t bytes) { fragment_bytes_ = bytes; }

  /// Frames of which a part has not been taken.
  int waiting_frames() const { return waiting_frames_; }

  /// Whether the EndOutput was taken.
  bool is_finished() const { return is_finished_; }

 private:
  Output TakeFragment(Clock::time_point now);

  std::deque<Output> queue_;  // a FragmentOutput in here is a whole frame
  std::int64_t fragment_bytes_ = 1;
  int next_fragment_ = 0;  // of the frame at the front
  int waiting_frames_ = 0;
  std::optional<Clock::time_point> send_start_;  // of the chunk whose frames are being taken
  bool is_closed_ = false;
  bool is_finished_ = false;
};

}  // namespace causeway
