// SPDX-License-Identifier: Apache-2.0
#include "server/decoder/models/wan21/config_limits.h"

#include <numeric>

#include <gtest/gtest.h>

#include "tests/support/test_folder.h"

namespace causeway::decoder::wan21 {
namespace {

TEST(ConfigLimits, TheDefaultIsWan21) {
  const ModelConfig config = DefaultConfig();
  EXPECT_EQ(config.family, "wan21");
  EXPECT_EQ(config.base_width, 96);
  EXPECT_EQ(config.latent_channels, 16);
  EXPECT_EQ(config.multipliers, (std::vector<int>{1, 2, 4, 4}));
  EXPECT_EQ(config.res_blocks, 3);
  EXPECT_EQ(config.temporal_upsample, (std::vector<bool>{true, true, false}));
}

// The sums of the published lists: a digit that goes wrong changes them.
TEST(ConfigLimits, TheStatisticsAddUp) {
  const ModelConfig config = DefaultConfig();
  ASSERT_EQ(config.latents_mean.size(), 16u);
  ASSERT_EQ(config.latents_std.size(), 16u);
  EXPECT_NEAR(std::accumulate(config.latents_mean.begin(), config.latents_mean.end(), 0.0), -0.7332,
              1e-9);
  EXPECT_NEAR(std::accumulate(config.latents_std.begin(), config.latents_std.end(), 0.0), 34.2747,
              1e-9);
}

TEST(ConfigLimits, RefusesToHalveAnOddNumberOfChannels) {
  ModelConfig config = DefaultConfig();
  config.base_width = 3;
  EXPECT_NO_THROW(CheckChannelsHalve("x", config));
  config.multipliers = {1, 1, 4, 4};
  EXPECT_EQ(test::FileErrorOf([&] { CheckChannelsHalve("x", config); }),
            "x: channels of a stage that upsamples: got 3 (base width 3 x multiplier 1), allowed: "
            "an even number");
}

}  // namespace
}  // namespace causeway::decoder::wan21
