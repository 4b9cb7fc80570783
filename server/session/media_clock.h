// SPDX-License-Identifier: Apache-2.0
// When the frames of a session are due at its viewer, by what Open.timing and the chunks say.
//
// The clock starts with the first frame that is handed to the transport: frame i is due i / fps
// after it. Where a chunk arrives after its first frame was due (its sender paused), the clock
// starts anew so that that frame is due on arrival.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "server/session/messages.h"

namespace causeway {

/// Not thread-safe: guarded by its session.
class MediaClock {
 public:
  MediaClock() = default;
  MediaClock(const TimingRequest& timing, Priority priority)
      : timing_(timing), priority_(priority) {}

  void OnChunk(std::uint64_t first_frame, Clock::time_point arrival);
  void OnFrameSent(std::uint64_t frame, Clock::time_point now);

  /// When a frame is due. `chunk_due`: when the first frame of its chunk is due by the chunk's own
  /// deadline, which goes before the clock; `position`: of the frame in the chunk. Nothing: at no
  /// particular time.
  std::optional<Clock::time_point> FrameDue(std::uint64_t frame,
                                            std::optional<Clock::time_point> chunk_due,
                                            int position) const;

  /// When the work that makes a frame is due: with the frame, or now where it is due at no
  /// particular time; later by 100 ms for the standard class and by 1 s for batch.
  Clock::time_point WorkDue(std::optional<Clock::time_point> frame_due,
                            Clock::time_point now) const;

  /// Whether a frame that is handed to the transport now is later than Open allows.
  bool IsLate(std::optional<Clock::time_point> frame_due, Clock::time_point now) const;

  /// The pts of a frame: its chunk's plus its position, rounded to the nearest unit of the
  /// timebase; 0 without timebase or rate.
  std::int64_t Pts(std::int64_t chunk_pts, int position) const;

 private:
  Clock::duration FramesToTime(double frames) const;

  TimingRequest timing_;
  Priority priority_ = Priority::kStandard;
  std::optional<Clock::time_point> start_;  // when frame 0 is or would have been due
};

}  // namespace causeway
