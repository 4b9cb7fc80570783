// SPDX-License-Identifier: Apache-2.0
#include "kernels/simt/numeric.h"

#include <bit>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace causeway::kernels {
namespace {

TEST(Half, EveryValueSurvivesTheWayToFloatAndBack) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const Half half{static_cast<uint16_t>(bits)};
    const float value = ToFloat(half);
    if (std::isnan(value)) {
      EXPECT_GT(bits & 0x7fffu, 0x7c00u);
    } else {
      EXPECT_EQ(ToHalf(value).bits, bits) << bits;
    }
  }
}

// The nearest of all halves, by search; ties to the even one.
TEST(Half, RoundsToTheNearestAndTiesToEven) {
  for (const float low : {0x1p-24f, 0x1.8p-15f, 0x1.ffcp-15f, 1.0f, 1.5f, 2047.0f, 65472.0f}) {
    const uint16_t bits = ToHalf(low).bits;
    const float below = ToFloat(Half{bits});
    const float above = ToFloat(Half{static_cast<uint16_t>(bits + 1)});
    const float middle = (below + above) / 2;
    const auto even = static_cast<uint16_t>(bits % 2 == 0 ? bits : bits + 1);
    EXPECT_EQ(ToHalf(middle).bits, even) << low;
    EXPECT_EQ(ToHalf(std::nextafterf(middle, 0.0f)).bits, bits) << low;
    EXPECT_EQ(ToHalf(std::nextafterf(middle, 1e9f)).bits, bits + 1) << low;
    EXPECT_EQ(ToHalf(-middle).bits, even | 0x8000) << low;
  }
  EXPECT_EQ(ToHalf(65519.0f).bits, 0x7bff);
  EXPECT_EQ(ToHalf(65520.0f).bits, 0x7c00);
  EXPECT_EQ(ToHalf(0x1p-25f).bits, 0);
}

TEST(Bfloat16, RoundsToTheNearestAndTiesToEven) {
  EXPECT_EQ(ToBfloat16(1.0f).bits, 0x3f80);
  EXPECT_EQ(ToBfloat16(std::bit_cast<float>(0x3f808000u)).bits, 0x3f80);
  EXPECT_EQ(ToBfloat16(std::bit_cast<float>(0x3f808001u)).bits, 0x3f81);
  EXPECT_EQ(ToBfloat16(std::bit_cast<float>(0x3f818000u)).bits, 0x3f82);
  EXPECT_TRUE(std::isnan(ToFloat(ToBfloat16(std::numeric_limits<float>::quiet_NaN()))));
  EXPECT_EQ(ToFloat(ToBfloat16(-INFINITY)), -INFINITY);
}

TEST(Tf32, RoundsTiesAwayFromZero) {
  const auto bits = [](float value) { return std::bit_cast<uint32_t>(ToTf32(value).value); };
  EXPECT_EQ(bits(std::bit_cast<float>(0x3f801000u)), 0x3f802000u);
  EXPECT_EQ(bits(std::bit_cast<float>(0x3f800fffu)), 0x3f800000u);
  EXPECT_EQ(bits(std::bit_cast<float>(0xbf801000u)), 0xbf802000u);
  EXPECT_EQ(ToFloat(Tf32{std::bit_cast<float>(0x3f801fffu)}), 1.0f);
}

TEST(E4m3, EveryValueSurvivesTheWayToFloatAndBack) {
  for (uint32_t bits = 0; bits < 256; ++bits) {
    const E4m3 value{static_cast<uint8_t>(bits)};
    if ((bits & 0x7f) == 0x7f) {
      EXPECT_TRUE(std::isnan(ToFloat(value)));
    } else {
      EXPECT_EQ(ToE4m3(ToFloat(value)).bits, bits);
    }
  }
}

TEST(E4m3, HasTheValuesOfItsDefinition) {
  EXPECT_EQ(ToFloat(E4m3{0x7e}), 448.0f);
  EXPECT_EQ(ToFloat(E4m3{0x01}), 0x1p-9f);
  EXPECT_EQ(ToFloat(E4m3{0x08}), 0x1p-6f);
  EXPECT_EQ(ToFloat(E4m3{0xb8}), -1.0f);
}

TEST(E4m3, RoundsToEvenAndSaturates) {
  EXPECT_EQ(ToE4m3(1.0625f).bits, 0x38);  // between 1 and 1.125
  EXPECT_EQ(ToE4m3(1.1875f).bits, 0x3a);  // between 1.125 and 1.25
  EXPECT_EQ(ToE4m3(0x1p-10f).bits, 0x00);
  EXPECT_EQ(ToE4m3(0x1.8p-9f).bits, 0x02);
  EXPECT_EQ(ToE4m3(1000.0f).bits, 0x7e);
  EXPECT_EQ(ToE4m3(-INFINITY).bits, 0xfe);
}

}  // namespace
}  // namespace causeway::kernels
