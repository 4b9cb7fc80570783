// SPDX-License-Identifier: Apache-2.0
#include "server/base/half.h"

#include <cmath>
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

namespace causeway {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The value of a finite or infinite 16-bit pattern from the definition of the type: `mantissa_bits`
// of mantissa, the rest but the sign is an exponent with the usual bias.
double ValueOf(std::uint16_t bits, int mantissa_bits) {
  const int exponent_bits = 15 - mantissa_bits;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = (bits >> mantissa_bits) & ((1 << exponent_bits) - 1);
  const int mantissa = bits & ((1 << mantissa_bits) - 1);
  double magnitude = 0;
  if (exponent == (1 << exponent_bits) - 1) {
    magnitude = mantissa == 0 ? kInfinity : std::numeric_limits<double>::quiet_NaN();
  } else if (exponent == 0) {
    magnitude = std::ldexp(mantissa, 1 - bias - mantissa_bits);
  } else {
    magnitude = std::ldexp(mantissa + (1 << mantissa_bits), exponent - bias - mantissa_bits);
  }
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

struct Half {
  static constexpr int kMantissaBits = 10;
  static constexpr std::uint16_t kInfinityBits = 0x7c00;
  static float Widen(std::uint16_t bits) { return HalfToFloat(bits); }
  static std::uint16_t Narrow(float value) { return FloatToHalf(value); }
};

struct Bfloat16 {
  static constexpr int kMantissaBits = 7;
  static constexpr std::uint16_t kInfinityBits = 0x7f80;
  static float Widen(std::uint16_t bits) { return Bfloat16ToFloat(bits); }
  static std::uint16_t Narrow(float value) { return FloatToBfloat16(value); }
};

template <typename Type>
class HalfTypes : public testing::Test {};
using Types = testing::Types<Half, Bfloat16>;
TYPED_TEST_SUITE(HalfTypes, Types);

TYPED_TEST(HalfTypes, WidensEveryPatternExactly) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto pattern = static_cast<std::uint16_t>(bits);
    const double expected = ValueOf(pattern, TypeParam::kMantissaBits);
    const float got = TypeParam::Widen(pattern);
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(got)) << std::hex << bits;
    } else {
      ASSERT_EQ(static_cast<double>(got), expected) << std::hex << bits;
    }
    ASSERT_EQ(std::signbit(got), bits >= 0x8000) << std::hex << bits;
  }
}

TYPED_TEST(HalfTypes, NarrowingUndoesWidening) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto pattern = static_cast<std::uint16_t>(bits);
    const std::uint16_t back = TypeParam::Narrow(TypeParam::Widen(pattern));
    if ((bits & 0x7fff) > TypeParam::kInfinityBits) {
      ASSERT_GT(back & 0x7fff, TypeParam::kInfinityBits) << "a NaN: " << std::hex << bits;
      ASSERT_EQ(back & 0x8000, bits & 0x8000) << std::hex << bits;
    } else {
      ASSERT_EQ(back, pattern) << std::hex << bits;
    }
  }
}

// Between each value and the next larger one: the midpoint goes to the even pattern, its two fp32
// neighbours go to their own side. The last step is the one from the largest finite value to
// infinity, taken as if the exponent went on.
TYPED_TEST(HalfTypes, RoundsToNearestEvenAroundEveryMidpoint) {
  for (std::uint32_t bits = 0; bits < TypeParam::kInfinityBits; ++bits) {
    const auto low = static_cast<std::uint16_t>(bits);
    const auto high = static_cast<std::uint16_t>(bits + 1);
    const double low_value = ValueOf(low, TypeParam::kMantissaBits);
    double high_value = ValueOf(high, TypeParam::kMantissaBits);
    if (std::isinf(high_value)) {
      high_value =
          2 * low_value - ValueOf(static_cast<std::uint16_t>(bits - 1), TypeParam::kMantissaBits);
    }
    const double midpoint_value = (low_value + high_value) / 2;
    const auto midpoint = static_cast<float>(midpoint_value);
    ASSERT_EQ(static_cast<double>(midpoint), midpoint_value) << "not an fp32: " << std::hex << bits;
    const float below = std::nextafter(midpoint, 0.0f);
    const float above = std::nextafter(midpoint, std::numeric_limits<float>::infinity());
    const std::uint16_t even = (bits & 1) == 0 ? low : high;
    ASSERT_EQ(TypeParam::Narrow(midpoint), even) << std::hex << bits;
    ASSERT_EQ(TypeParam::Narrow(below), low) << std::hex << bits;
    ASSERT_EQ(TypeParam::Narrow(above), high) << std::hex << bits;
    ASSERT_EQ(TypeParam::Narrow(-midpoint), even | 0x8000) << std::hex << bits;
    ASSERT_EQ(TypeParam::Narrow(-below), low | 0x8000) << std::hex << bits;
    ASSERT_EQ(TypeParam::Narrow(-above), high | 0x8000) << std::hex << bits;
  }
}

TYPED_TEST(HalfTypes, KeepsInfinitiesAndNans) {
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(TypeParam::Narrow(infinity), TypeParam::kInfinityBits);
  EXPECT_EQ(TypeParam::Narrow(-infinity), TypeParam::kInfinityBits | 0x8000);
  EXPECT_EQ(TypeParam::Narrow(std::numeric_limits<float>::max()), TypeParam::kInfinityBits);
  EXPECT_EQ(TypeParam::Narrow(std::numeric_limits<float>::denorm_min()), 0);
  EXPECT_EQ(TypeParam::Narrow(-std::numeric_limits<float>::denorm_min()), 0x8000);
  // Payloads that the narrow type has no room for, and ones whose rounding would carry over.
  for (const std::uint32_t nan :
       {0x7f800001u, 0x7fc00000u, 0x7fffffffu, 0xff800001u, 0xffffffffu}) {
    const std::uint16_t narrow = TypeParam::Narrow(std::bit_cast<float>(nan));
    EXPECT_GT(narrow & 0x7fff, TypeParam::kInfinityBits) << std::hex << nan;
    EXPECT_EQ(narrow & 0x8000, (nan >> 16) & 0x8000) << std::hex << nan;
  }
}

}  // namespace
}  // namespace causeway
