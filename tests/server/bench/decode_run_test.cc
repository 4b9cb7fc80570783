// SPDX-License-Identifier: Apache-2.0
#include "server/bench/decode_run.h"

#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

namespace causeway::bench {
namespace {

using std::chrono::nanoseconds;

TEST(ChunkTimes, SumTheLatentsOfEachChunk) {
  const std::vector<nanoseconds> latents{nanoseconds(1), nanoseconds(20), nanoseconds(300),
                                         nanoseconds(4000)};
  EXPECT_EQ(ChunkTimes(latents, {1, 3}),
            (std::vector<nanoseconds>{nanoseconds(1), nanoseconds(4320)}));
  EXPECT_EQ(ChunkTimes(latents, {1, 1, 1, 1}), latents);
}

TEST(ChunkTimes, RefuseAnotherNumberOfLatents) {
  const std::vector<nanoseconds> latents(3, nanoseconds(1));
  EXPECT_THROW(ChunkTimes(latents, {1, 1}), std::invalid_argument);
  EXPECT_THROW(ChunkTimes(latents, {1, 3}), std::invalid_argument);
}

TEST(RunTimes, TotalIsTheSumOfTheLatents) {
  RunTimes times;
  EXPECT_EQ(times.total(), nanoseconds(0));
  times.latents = {nanoseconds(5), nanoseconds(7)};
  EXPECT_EQ(times.total(), nanoseconds(12));
}

}  // namespace
}  // namespace causeway::bench
