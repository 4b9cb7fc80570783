// SPDX-License-Identifier: Apache-2.0
#include "server/bench/statistics.h"

#include <numeric>
#include <vector>

#include <gtest/gtest.h>

namespace causeway::bench {
namespace {

TEST(Statistics, NothingGivesZeros) {
  const Summary summary = Summarise({});
  EXPECT_EQ(summary.count, 0u);
  EXPECT_EQ(summary.max, 0);
}

TEST(Statistics, OneValueIsEveryPercentile) {
  const Summary summary = Summarise({7.5});
  EXPECT_EQ(summary.count, 1u);
  EXPECT_EQ(summary.min, 7.5);
  EXPECT_EQ(summary.median, 7.5);
  EXPECT_EQ(summary.p99, 7.5);
  EXPECT_EQ(summary.max, 7.5);
}

TEST(Statistics, OrderOfTheValuesDoesNotMatter) {
  const Summary summary = Summarise({3, 1, 2});
  EXPECT_EQ(summary.min, 1);
  EXPECT_EQ(summary.median, 2);
  EXPECT_EQ(summary.max, 3);
}

TEST(Statistics, MedianOfAnEvenNumberIsTheMeanOfTheMiddleTwo) {
  EXPECT_DOUBLE_EQ(Summarise({4, 1, 2, 10}).median, 3);
}

// 0 to 200: the position of the 99th percentile is 198.
TEST(Statistics, PercentileOnAValueIsThatValue) {
  std::vector<double> values(201);
  std::iota(values.begin(), values.end(), 0.0);
  EXPECT_DOUBLE_EQ(Summarise(values).p99, 198);
}

// Position 0.99 * 3 = 2.97 in 1, 2, 4, 10: 4 + 0.97 * 6.
TEST(Statistics, PercentileBetweenValuesIsLinear) {
  EXPECT_DOUBLE_EQ(Percentile({1, 2, 4, 10}, 0.99), 9.82);
  EXPECT_DOUBLE_EQ(Percentile({1, 2, 4, 10}, 0), 1);
  EXPECT_DOUBLE_EQ(Percentile({1, 2, 4, 10}, 1), 10);
}

}  // namespace
}  // namespace causeway::bench
