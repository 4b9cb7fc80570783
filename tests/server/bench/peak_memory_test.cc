// SPDX-License-Identifier: Apache-2.0
#include "server/bench/peak_memory.h"

#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

namespace causeway::bench {
namespace {

TEST(PeakMemory, ReadsTheHighWaterMark) {
  EXPECT_EQ(ParsePeakResidentBytes("Name:\tx\nVmHWM:\t  161340 kB\nVmRSS:\t 5 kB\n"),
            161340 * 1024);
}

TEST(PeakMemory, IsUnknownWhereTheSystemDoesNotSayIt) {
  EXPECT_EQ(ParsePeakResidentBytes(""), std::nullopt);
  EXPECT_EQ(ParsePeakResidentBytes("VmRSS:\t 5 kB\n"), std::nullopt);
  EXPECT_EQ(ParsePeakResidentBytes("VmHWM:"), std::nullopt);
  EXPECT_EQ(ParsePeakResidentBytes("VmHWM:\tmuch kB\n"), std::nullopt);
}

TEST(PeakMemory, HoldsWhatThisProcessHasTouched) {
  constexpr std::size_t kBytes = 32 << 20;
  const std::vector<char> touched(kBytes, 1);
  EXPECT_GE(PeakResidentBytes().value_or(0), static_cast<std::int64_t>(touched.size()));
}

}  // namespace
}  // namespace causeway::bench
