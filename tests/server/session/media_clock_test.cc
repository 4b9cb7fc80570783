// SPDX-License-Identifier: Apache-2.0
#include "server/session/media_clock.h"

#include <limits>

#include <gtest/gtest.h>

namespace causeway {
namespace {

using std::chrono::milliseconds;

const Clock::time_point kStart{std::chrono::hours(1)};

MediaClock ClockOf(double fps, int max_lateness_ms = 0,
                   Priority priority = Priority::kInteractive) {
  return {{.timebase_num = 1,
           .timebase_den = 90'000,
           .target_fps = fps,
           .max_lateness_ms = max_lateness_ms},
          priority};
}

TEST(MediaClock, StartsWithTheFirstFrameThatIsSent) {
  MediaClock clock = ClockOf(20);
  EXPECT_FALSE(clock.FrameDue(0, std::nullopt, 0));
  clock.OnFrameSent(0, kStart);
  clock.OnFrameSent(1, kStart + milliseconds(500));
  EXPECT_EQ(clock.FrameDue(10, std::nullopt, 0), kStart + milliseconds(500));
}

TEST(MediaClock, StartsAnewWhereAChunkComesAfterItsFrameWasDue) {
  MediaClock clock = ClockOf(20);
  clock.OnFrameSent(0, kStart);
  clock.OnChunk(10, kStart + milliseconds(400));
  EXPECT_EQ(clock.FrameDue(10, std::nullopt, 0), kStart + milliseconds(500));
  clock.OnChunk(10, kStart + milliseconds(900));
  EXPECT_EQ(clock.FrameDue(12, std::nullopt, 0), kStart + milliseconds(1000));
}

TEST(MediaClock, AChunksOwnDeadlineGoesFirst) {
  MediaClock clock = ClockOf(20);
  clock.OnFrameSent(0, kStart);
  EXPECT_EQ(clock.FrameDue(10, kStart + milliseconds(7), 2), kStart + milliseconds(107));
  EXPECT_EQ(MediaClock().FrameDue(10, kStart, 2), kStart);
}

TEST(MediaClock, WorkIsDueWithItsFrameOrNowAndLaterByClass) {
  EXPECT_EQ(ClockOf(0).WorkDue(std::nullopt, kStart), kStart);
  EXPECT_EQ(ClockOf(0).WorkDue(kStart + milliseconds(50), kStart), kStart + milliseconds(50));
  EXPECT_EQ(ClockOf(0, 0, Priority::kStandard).WorkDue(std::nullopt, kStart),
            kStart + milliseconds(100));
  EXPECT_EQ(ClockOf(0, 0, Priority::kBatch).WorkDue(std::nullopt, kStart),
            kStart + milliseconds(1000));
}

TEST(MediaClock, AFrameIsLateAfterItsDueTimeAndTheAllowance) {
  const MediaClock clock = ClockOf(20, 10);
  EXPECT_FALSE(clock.IsLate(kStart, kStart + milliseconds(10)));
  EXPECT_TRUE(clock.IsLate(kStart, kStart + milliseconds(11)));
  EXPECT_FALSE(clock.IsLate(std::nullopt, kStart + milliseconds(11)));
  EXPECT_FALSE(ClockOf(20).IsLate(kStart, kStart + std::chrono::hours(1)));
}

TEST(MediaClock, CountsPtsInUnitsOfTheTimebase) {
  EXPECT_EQ(ClockOf(16).Pts(1000, 0), 1000);
  EXPECT_EQ(ClockOf(16).Pts(1000, 4), 1000 + 4 * 5625);
  EXPECT_EQ(ClockOf(29.97).Pts(0, 1), 3003);
  EXPECT_EQ(ClockOf(0).Pts(1000, 4), 0);
  EXPECT_EQ(MediaClock().Pts(1000, 4), 0);
}

TEST(MediaClock, SurvivesTheLargestNumbers) {
  MediaClock clock({.timebase_num = 1,
                    .timebase_den = std::numeric_limits<int>::max(),
                    .target_fps = 0.01,
                    .max_lateness_ms = std::numeric_limits<int>::max()},
                   Priority::kBatch);
  EXPECT_GT(clock.Pts(std::int64_t{1} << 62, std::numeric_limits<int>::max()), 0);
  clock.OnFrameSent(0, kStart);
  EXPECT_GT(*clock.FrameDue(std::numeric_limits<std::uint64_t>::max(), std::nullopt, 0), kStart);
}

}  // namespace
}  // namespace causeway
