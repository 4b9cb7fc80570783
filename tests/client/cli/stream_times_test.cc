// SPDX-License-Identifier: Apache-2.0
#include "client/cli/stream_times.h"

#include <gtest/gtest.h>

namespace causeway::cli {
namespace {

StreamTimes::Clock::time_point At(int seconds) {
  return StreamTimes::Clock::time_point(std::chrono::seconds(seconds));
}

v1::FrameRule Rule() {
  v1::FrameRule rule;
  rule.set_first_latent_frames(1);
  rule.set_per_latent_frames(4);
  return rule;
}

TEST(StreamTimes, MeasuresFromTheSendingOfTheFramesOwnChunk) {
  StreamTimes times(Rule());
  times.ChunkSent(At(100));
  times.ChunkSent(At(101));
  // Chunk 0: latents 0 and 1, frames 0 to 4. Chunk 1: latent 2, frames 5 to 8.
  for (int i = 0; i < 5; ++i) {
    times.FrameArrived({static_cast<std::uint64_t>(i), 0, i == 4, {}, At(110 + i)});
  }
  for (int i = 5; i < 9; ++i) {
    times.FrameArrived({static_cast<std::uint64_t>(i), 1, i == 8, {}, At(120 + i)});
  }
  EXPECT_EQ(times.first_frame_s(), 10);
  EXPECT_EQ(times.total_s(), 28);
  EXPECT_EQ(times.chunk_latencies_s(), (std::vector<double>{14, 27}));
  EXPECT_EQ(times.latent_latencies_s(), (std::vector<double>{10, 14, 27}));
}

TEST(StreamTimes, AreZeroWithoutFrames) {
  StreamTimes times(Rule());
  times.ChunkSent(At(100));
  EXPECT_EQ(times.first_frame_s(), 0);
  EXPECT_EQ(times.total_s(), 0);
  EXPECT_TRUE(times.chunk_latencies_s().empty());
}

}  // namespace
}  // namespace causeway::cli
