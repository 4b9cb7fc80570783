// SPDX-License-Identifier: Apache-2.0
// What a session has to say and the transport has not taken yet. Frames, and what follows them,
// keep their order and wait for frame credits; urgent outputs pass them, but never inside a frame.
// Frames are cut into fragments when they are taken, so that no pixel is copied before.
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

  /// What follows the frames before it. An EndOutput closes the queue: what comes after it is
  /// dropped. Where it is a failure, so are the frames before it for which there is no credit.
  void Push(Output output);

  /// What passes waiting frames. Neither frame nor end.
  void PushUrgent(Output output);

  /// An answer to a ping. Dropped where kMostPongs wait: nobody reads.
  void PushPong(PongOutput pong);

  /// Input that the client may send again; what was added since the last Take goes out as one.
  void AddInputCredit(int chunks, std::int64_t bytes);

  /// Drops what waits and closes the queue with a cancelled EndOutput, unless an EndOutput was
  /// already taken.
  void Cancel();

  /// Replaces the oldest frame of which nothing is taken by its FrameDroppedOutput. False: there is
  /// none.
  bool DropOldest();

  /// The next output. Taking one says that the output before it was written. `now` times the
  /// sending of a chunk: ChunkDone carries the time since its first fragment was taken.
  std::optional<Output> Take(Clock::time_point now);

  /// The largest payload of a fragment. At least 1.
  void set_fragment_bytes(std::int64_t bytes) { fragment_bytes_ = bytes; }

  /// How many frames may be begun; nothing: any number, the state at first.
  void set_frame_credits(std::optional<int> credits) { frame_credits_ = credits; }
  std::optional<int> frame_credits() const { return frame_credits_; }

  /// Frames of which a part has not been taken.
  int waiting_frames() const { return waiting_frames_; }

  /// Whether there is credit for every waiting frame and one more.
  bool has_spare_credit() const {
    return !frame_credits_ || *frame_credits_ > waiting_frames_ - (next_fragment_ > 0 ? 1 : 0);
  }

  bool is_empty() const { return queue_.empty() && urgent_.empty() && regained_.bytes == 0; }

  /// Whether the EndOutput was taken.
  bool is_finished() const { return is_finished_; }

  static constexpr int kMostPongs = 16;

 private:
  Output TakeUrgent();
  Output TakeFragment(Clock::time_point now);
  bool is_failing() const;

  std::deque<Output> urgent_;
  std::deque<Output> queue_;  // a FragmentOutput in here is a whole frame
  InputCreditOutput regained_;
  std::optional<int> frame_credits_;
  std::int64_t fragment_bytes_ = 1;
  int next_fragment_ = 0;  // of the frame at the front
  int waiting_frames_ = 0;
  int waiting_pongs_ = 0;
  std::optional<Clock::time_point> send_start_;  // of the chunk whose frames are being taken
  bool is_closed_ = false;
  bool is_finished_ = false;
};

}  // namespace causeway
