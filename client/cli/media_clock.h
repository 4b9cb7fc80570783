// SPDX-License-Identifier: Apache-2.0
// The times at which frames are due: a frame each 1/fps seconds from the start on.
#pragma once

#include <chrono>
#include <cstdint>

namespace causeway::cli {

class MediaClock {
 public:
  using Clock = std::chrono::steady_clock;

  /// `fps`: 0 where there is no clock; every frame is then due at once.
  MediaClock(double fps, Clock::time_point start) : fps_(fps), start_(start) {}

  Clock::time_point Due(std::int64_t frame) const {
    if (fps_ <= 0) return start_;
    const std::chrono::duration<double> after(static_cast<double>(frame) / fps_);
    return start_ + std::chrono::duration_cast<Clock::duration>(after);
  }

 private:
  double fps_;
  Clock::time_point start_;
};

}  // namespace causeway::cli
