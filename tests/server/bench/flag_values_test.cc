// SPDX-License-Identifier: Apache-2.0
#include "server/bench/flag_values.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/server/bench/usage_error_of.h"

namespace causeway::bench {
namespace {

Arguments With(const std::string& value) {
  return Arguments({{"flag", "VALUE", "", false}}, std::vector<std::string>{"--flag=" + value});
}

const Arguments& Without() {
  static const Arguments arguments({{"flag", "VALUE", "", false}}, {});
  return arguments;
}

TEST(FlagValues, IntegerIsTakenWithinItsRange) {
  EXPECT_EQ(IntegerFlag(With("0"), "flag", 5, 0, 10), 0);
  EXPECT_EQ(IntegerFlag(With("10"), "flag", 5, 0, 10), 10);
  EXPECT_EQ(IntegerFlag(Without(), "flag", 5, 0, 10), 5);
}

TEST(FlagValues, IntegerRefusesEverythingElse) {
  for (const std::string bad : {"11", "-1", "x", "1x", " 1", "1.5", "99999999999999999999"}) {
    EXPECT_EQ(UsageErrorOf([&] { IntegerFlag(With(bad), "flag", 5, 0, 10); }),
              "--flag: got '" + bad + "', allowed: an integer from 0 to 10");
  }
}

TEST(FlagValues, GeometryIsHeightByWidth) {
  const decoder::Geometry geometry = GeometryFlag(With("704x1280"), "flag");
  EXPECT_EQ(geometry.height, 704);
  EXPECT_EQ(geometry.width, 1280);
}

TEST(FlagValues, GeometryRefusesWhatNoDecoderTakes) {
  for (const std::string bad :
       {"704", "704x", "x1280", "704x1281", "0x8", "8x8200", "8x8x8", "704X1280", "-8x8"}) {
    EXPECT_EQ(UsageErrorOf([&] { GeometryFlag(With(bad), "flag"); }),
              "--flag: got '" + bad +
                  "', allowed: HEIGHTxWIDTH in pixels, each a multiple of 8 from 8 to 8192");
  }
}

TEST(FlagValues, ChunksAreAListOfCounts) {
  EXPECT_EQ(ChunksFlag(With("1,3,3"), "flag"), (std::vector<int>{1, 3, 3}));
  EXPECT_EQ(ChunksFlag(With("7"), "flag"), std::vector<int>{7});
  EXPECT_EQ(ChunksFlag(Without(), "flag"), std::nullopt);
}

TEST(FlagValues, ChunksRefuseEverythingElse) {
  for (const std::string bad : {"1,0", "1,", ",1", "1,,2", "a", "1;2", "-1"}) {
    EXPECT_EQ(
        UsageErrorOf([&] { ChunksFlag(With(bad), "flag"); }),
        "--flag: got '" + bad + "', allowed: latents a chunk, such as 1,3,3, each at least 1");
  }
}

TEST(FlagValues, BytesKnowDecimalAndBinaryUnits) {
  EXPECT_EQ(BytesFlag(With("500000"), "flag"), 500'000);
  EXPECT_EQ(BytesFlag(With("141GB"), "flag"), 141'000'000'000);
  EXPECT_EQ(BytesFlag(With("80GiB"), "flag"), std::int64_t{80} << 30);
  EXPECT_EQ(BytesFlag(With("1.5KiB"), "flag"), 1536);
  EXPECT_EQ(BytesFlag(Without(), "flag"), std::nullopt);
}

TEST(FlagValues, BytesRefuseEverythingElse) {
  for (const std::string bad : {"GB", "1G", "0", "-1GB", "nan", "inf", "1e300TB", "141 GB"}) {
    EXPECT_EQ(UsageErrorOf([&] { BytesFlag(With(bad), "flag"); }),
              "--flag: got '" + bad +
                  "', allowed: a size such as 141GB, 80GiB or 500000 (bytes), at most 8192TiB");
  }
}

TEST(FlagValues, ChoiceIsOneOfItsNamesAndTheFirstWhenAbsent) {
  const Choices<int> choices{{"one", 1}, {"two", 2}};
  EXPECT_EQ(ChoiceFlag(With("two"), "flag", choices), 2);
  EXPECT_EQ(ChoiceFlag(Without(), "flag", choices), 1);
  EXPECT_EQ(UsageErrorOf([&] { ChoiceFlag(With("Two"), "flag", choices); }),
            "--flag: got 'Two', allowed: one, two");
}

}  // namespace
}  // namespace causeway::bench
