// SPDX-License-Identifier: Apache-2.0
#include "client/lib/frame_credits.h"

#include <gtest/gtest.h>

namespace causeway::client {
namespace {

TEST(FrameCredits, NeverGrantMoreThanTheWindow) {
  for (const int window : {1, 2, 5, 16, 64}) {
    FrameCredits credits(window);
    int granted = window;  // what the server may still send
    for (int frame = 0; frame < 1000; ++frame) {
      ASSERT_GT(granted, 0) << "window " << window << ": the server waits for ever";
      ASSERT_TRUE(credits.Spend());
      --granted;
      credits.Consumed();
      granted += credits.TakeDue();
      ASSERT_LE(granted, window);
    }
  }
}

TEST(FrameCredits, KnowAFrameThatNobodyAllowed) {
  FrameCredits credits(2);
  EXPECT_TRUE(credits.Spend());
  EXPECT_TRUE(credits.Spend());
  EXPECT_FALSE(credits.Spend());
}

TEST(FrameCredits, AreGrantedSeveralAtATime) {
  FrameCredits credits(16);
  for (int i = 0; i < 3; ++i) {
    credits.Consumed();
    EXPECT_EQ(credits.TakeDue(), 0);
  }
  credits.Consumed();
  EXPECT_EQ(credits.TakeDue(), 4);
}

TEST(FrameCredits, AreNothingWhereTheServerDoesNotCount) {
  FrameCredits credits(0);
  for (int i = 0; i < 100; ++i) {
    EXPECT_TRUE(credits.Spend());
    credits.Consumed();
    EXPECT_EQ(credits.TakeDue(), 0);
  }
}

}  // namespace
}  // namespace causeway::client
