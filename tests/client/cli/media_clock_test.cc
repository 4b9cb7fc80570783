// SPDX-License-Identifier: Apache-2.0
#include "client/cli/media_clock.h"

#include <gtest/gtest.h>

namespace causeway::cli {
namespace {

constexpr MediaClock::Clock::time_point kStart{std::chrono::hours(1)};

TEST(MediaClock, HasAFrameDueEachPeriodFromItsStart) {
  const MediaClock clock(25, kStart);
  EXPECT_EQ(clock.Due(0), kStart);
  EXPECT_EQ(clock.Due(1), kStart + std::chrono::milliseconds(40));
  EXPECT_EQ(clock.Due(1000), kStart + std::chrono::seconds(40));
}

TEST(MediaClock, HasEverythingDueAtOnceWithoutARate) {
  EXPECT_EQ(MediaClock(0, kStart).Due(1000), kStart);
}

}  // namespace
}  // namespace causeway::cli
