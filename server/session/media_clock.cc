// SPDX-License-Identifier: Apache-2.0
#include "server/session/media_clock.h"

#include <algorithm>
#include <cmath>

namespace causeway {
namespace {

constexpr double kMostPts = 4.6e18;  // below 2^62: a sum of two of them fits

Clock::duration Delay(Priority priority) {
  switch (priority) {
    case Priority::kInteractive:
      return std::chrono::milliseconds(0);
    case Priority::kStandard:
      return std::chrono::milliseconds(100);
    case Priority::kBatch:
      return std::chrono::milliseconds(1000);
  }
  return {};
}

}  // namespace

void MediaClock::OnChunk(std::uint64_t first_frame, Clock::time_point arrival) {
  if (!start_) return;
  const Clock::duration offset = FramesToTime(static_cast<double>(first_frame));
  if (*start_ + offset < arrival) start_ = arrival - offset;
}

void MediaClock::OnFrameSent(std::uint64_t frame, Clock::time_point now) {
  if (start_ || timing_.target_fps <= 0) return;
  start_ = now - FramesToTime(static_cast<double>(frame));
}

std::optional<Clock::time_point> MediaClock::FrameDue(std::uint64_t frame,
                                                      std::optional<Clock::time_point> chunk_due,
                                                      int position) const {
  if (chunk_due) return *chunk_due + FramesToTime(position);
  if (!start_) return std::nullopt;
  return *start_ + FramesToTime(static_cast<double>(frame));
}

Clock::time_point MediaClock::WorkDue(std::optional<Clock::time_point> frame_due,
                                      Clock::time_point now) const {
  return frame_due.value_or(now) + Delay(priority_);
}

bool MediaClock::IsLate(std::optional<Clock::time_point> frame_due, Clock::time_point now) const {
  return timing_.max_lateness_ms > 0 && frame_due &&
         now > *frame_due + std::chrono::milliseconds(timing_.max_lateness_ms);
}

std::int64_t MediaClock::Pts(std::int64_t chunk_pts, int position) const {
  if (timing_.timebase_num <= 0 || timing_.target_fps <= 0) return 0;
  const double units = position * static_cast<double>(timing_.timebase_den) /
                       (timing_.timebase_num * timing_.target_fps);
  return chunk_pts + static_cast<std::int64_t>(std::llround(std::min(units, kMostPts)));
}

Clock::duration MediaClock::FramesToTime(double frames) const {
  if (timing_.target_fps <= 0) return {};
  // A century is as good as any later time, and fits.
  const double seconds = std::min(frames / timing_.target_fps, 3.2e9);
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

}  // namespace causeway
