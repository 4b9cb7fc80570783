// SPDX-License-Identifier: Apache-2.0
#include "server/base/tensor_view.h"

#include <limits>

#include <gtest/gtest.h>

namespace causeway {
namespace {

std::optional<std::int64_t> Count(std::vector<std::int64_t> shape) { return ElementCount(shape); }

TEST(TensorDtype, NamesReadBackAndHaveTheirSizes) {
  const std::pair<std::string_view, std::int64_t> sizes[] = {
      {"F64", 8}, {"F32", 4}, {"F16", 2}, {"BF16", 2}, {"I64", 8},
      {"I32", 4}, {"I16", 2}, {"I8", 1},  {"U8", 1},   {"BOOL", 1}};
  for (const auto& [name, bytes] : sizes) {
    const std::optional<TensorDtype> dtype = ParseTensorDtype(name);
    ASSERT_TRUE(dtype) << name;
    EXPECT_EQ(TensorDtypeName(*dtype), name);
    EXPECT_EQ(TensorDtypeBytes(*dtype), bytes) << name;
  }
  EXPECT_EQ(ParseTensorDtype("F8_E4M3"), std::nullopt);
  EXPECT_EQ(ParseTensorDtype("f32"), std::nullopt);
  EXPECT_EQ(TensorDtypeNames(), "F64, F32, F16, BF16, I64, I32, I16, I8, U8, BOOL");
}

TEST(ElementCount, MultipliesAndRefusesWhatDoesNotFit) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(Count({}), 1);
  EXPECT_EQ(Count({384, 16, 3, 3, 3}), 165888);
  EXPECT_EQ(Count({5, 0, 7}), 0);
  EXPECT_EQ(Count({kMax}), kMax);
  EXPECT_EQ(Count({kMax, 1}), kMax);
  EXPECT_EQ(Count({kMax, 2}), std::nullopt);
  EXPECT_EQ(Count({std::int64_t{1} << 32, std::int64_t{1} << 31}), std::nullopt);  // 2^63
  EXPECT_EQ(Count({std::int64_t{1} << 32, std::int64_t{1} << 32}), std::nullopt);  // 2^64
  EXPECT_EQ(Count({-1}), std::nullopt);
  EXPECT_EQ(Count({0, -1}), std::nullopt);
}

TEST(ShapeText, IsAListInBrackets) {
  EXPECT_EQ(ShapeText(std::vector<std::int64_t>{3, 96, 3}), "[3, 96, 3]");
  EXPECT_EQ(ShapeText(std::vector<std::int64_t>{}), "[]");
}

}  // namespace
}  // namespace causeway
