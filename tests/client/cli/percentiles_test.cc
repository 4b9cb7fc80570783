// SPDX-License-Identifier: Apache-2.0
#include "client/cli/percentiles.h"

#include <gtest/gtest.h>

namespace causeway::cli {
namespace {

TEST(Percentiles, AreTheNearestRanks) {
  std::vector<double> values;
  for (int i = 200; i >= 1; --i) values.push_back(i);
  const Percentiles found = PercentilesOf(values).value();
  EXPECT_EQ(found.p50, 100);
  EXPECT_EQ(found.p90, 180);
  EXPECT_EQ(found.p99, 198);
  EXPECT_EQ(found.max, 200);
}

TEST(Percentiles, OfFewValuesAreMeasuredValues) {
  const Percentiles one = PercentilesOf({7}).value();
  EXPECT_EQ(one.p50, 7);
  EXPECT_EQ(one.p99, 7);
  const Percentiles three = PercentilesOf({3, 1, 2}).value();
  EXPECT_EQ(three.p50, 2);
  EXPECT_EQ(three.p90, 3);
}

TEST(Percentiles, OfNothingAreNothing) { EXPECT_FALSE(PercentilesOf({})); }

}  // namespace
}  // namespace causeway::cli
