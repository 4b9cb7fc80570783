// SPDX-License-Identifier: Apache-2.0
#include "server/bench/number_text.h"

#include <limits>

#include <gtest/gtest.h>

namespace causeway::bench {
namespace {

TEST(NumberText, GroupsThousands) {
  EXPECT_EQ(Grouped(0), "0");
  EXPECT_EQ(Grouped(999), "999");
  EXPECT_EQ(Grouped(1000), "1,000");
  EXPECT_EQ(Grouped(2130698240), "2,130,698,240");
  EXPECT_EQ(Grouped(-123), "-123");
  EXPECT_EQ(Grouped(-123456), "-123,456");
}

TEST(NumberText, FixesTheDecimals) {
  EXPECT_EQ(Fixed(30743.91, 1), "30,743.9");
  EXPECT_EQ(Fixed(0.005, 2), "0.01");
  EXPECT_EQ(Fixed(1234.5678, 3), "1,234.568");
  EXPECT_EQ(Fixed(-1234.5, 1), "-1,234.5");
  EXPECT_EQ(Fixed(999999.96, 1), "1,000,000.0");
}

TEST(NumberText, WritesTheLargestDoubleAndWhatIsNotFinite) {
  const double max = std::numeric_limits<double>::max();
  EXPECT_EQ(Fixed(max, 2).size(), 309u + 102u + 3u);
  EXPECT_EQ(Fixed(std::numeric_limits<double>::infinity(), 2), "inf");
}

TEST(NumberText, PercentOfNothingIsADash) {
  EXPECT_EQ(Percent(1, 4), "25.0 %");
  EXPECT_EQ(Percent(1, 0), "-");
}

TEST(NumberText, MebibytesAreTwoToTheTwentieth) {
  EXPECT_EQ(Mebibytes(1024.0 * 1024.0 * 1024.0), "1,024.0");
}

}  // namespace
}  // namespace causeway::bench
