// SPDX-License-Identifier: Apache-2.0
#include "server/bench/random_latents.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace causeway::bench {
namespace {

std::vector<float> Latent(std::uint64_t seed, std::int64_t index, std::size_t elements) {
  std::vector<float> latent(elements, NAN);
  FillRandomLatent(seed, index, latent);
  return latent;
}

// From a second implementation, in Python.
TEST(RandomLatents, AreThoseOfTheirDefinition) {
  const std::vector<float> first = Latent(0, 0, 3);
  EXPECT_FLOAT_EQ(first[0], 1.9549744116420429f);
  EXPECT_FLOAT_EQ(first[1], -0.35891958307548716f);
  EXPECT_FLOAT_EQ(first[2], 1.3099995278347734f);
  const std::vector<float> other = Latent(7, 2, 3);
  EXPECT_FLOAT_EQ(other[0], 1.3785241607049503f);
  EXPECT_FLOAT_EQ(other[1], -0.24868250783838391f);
  EXPECT_FLOAT_EQ(other[2], 0.14665921620926087f);
}

TEST(RandomLatents, RepeatForTheSameSeedAndDifferForOthers) {
  EXPECT_EQ(Latent(3, 1, 64), Latent(3, 1, 64));
  EXPECT_NE(Latent(3, 1, 64), Latent(3, 2, 64));
  EXPECT_NE(Latent(3, 1, 64), Latent(4, 1, 64));
  EXPECT_NE(Latent(3, 1, 64), Latent(4, 0, 64));
}

// Bounds of six standard errors: 1 / sqrt(n) of the mean, sqrt(2 / n) of the variance.
TEST(RandomLatents, AreStandardNormal) {
  constexpr std::size_t kElements = 1 << 16;
  double sum = 0;
  double squares = 0;
  for (const float value : Latent(1, 0, kElements)) {
    ASSERT_TRUE(std::isfinite(value));
    sum += value;
    squares += static_cast<double>(value) * value;
  }
  const double count = kElements;
  EXPECT_NEAR(sum / count, 0, 6 / std::sqrt(count));
  EXPECT_NEAR(squares / count, 1, 6 * std::sqrt(2 / count));
}

}  // namespace
}  // namespace causeway::bench
