// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/round_element.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "server/base/half.h"

namespace causeway::kernels {
namespace {

TEST(RoundElement, AgreesWithTheServersHalfAndBfloat16OnEveryPatternAndBetween) {
  for (std::uint32_t bits = 0; bits < 0x10000U; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    for (const float value : {HalfToFloat(half), Bfloat16ToFloat(half)}) {
      if (std::isnan(value)) continue;
      for (const float near :
           {value, std::nextafter(value, INFINITY), value * 1.00048828125F, value * 1.00390625F}) {
        ASSERT_EQ(RoundToFp16(near), FloatToHalf(near)) << near;
        ASSERT_EQ(RoundToBf16(near), FloatToBfloat16(near)) << near;
      }
    }
  }
}

TEST(RoundElement, KeepsNanAndRoundsTf32TiesAway) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const ElementType type : {ElementType::kFp16, ElementType::kBf16, ElementType::kTf32}) {
    std::byte element[4];
    StoreRounded(type, nan, element);
    EXPECT_TRUE(std::isnan(LoadElement(type, element))) << ElementTypeName(type);
  }
  EXPECT_EQ(RoundToTf32Host(1.0F + 0x1p-11F), 1.0F + 0x1p-10F);
  EXPECT_EQ(RoundToTf32Host(-1.0F - 0x1p-11F), -1.0F - 0x1p-10F);
  EXPECT_EQ(RoundToTf32Host(1.0F + 0x1p-12F), 1.0F);
}

}  // namespace
}  // namespace causeway::kernels
