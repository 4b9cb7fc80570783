// SPDX-License-Identifier: Apache-2.0
#include "server/bench/category_table.h"

#include <sstream>

#include <gtest/gtest.h>

#include "server/base/json.h"

namespace causeway::bench {
namespace {

using decoder::Block;
using decoder::Category;
using std::chrono::microseconds;
using std::chrono::milliseconds;

decoder::StepTimes Times() {
  decoder::StepTimes times;
  times.Add(Category::kNormActivation, Block::kMid, milliseconds(1));
  times.Add(Category::kConvolutionOrGemm, Block::kMid, milliseconds(4));
  times.Add(Category::kConvolutionOrGemm, Block::kUp3, microseconds(2500));
  times.Add(Category::kConvolutionOrGemm, Block::kUp3, microseconds(2500));
  return times;
}

TEST(CategoryTable, SumsEveryCell) { EXPECT_EQ(CategorySum(Times()), milliseconds(10)); }

TEST(CategoryTable, PrintsTheUsedCategoriesLargestFirst) {
  std::ostringstream out;
  PrintCategories(Times(), out);
  EXPECT_EQ(out.str(),
            "category, ms         launches    all    share     mid    up0    up1    up2     up3   "
            "head\n"
            "-------------------------------------------------------------------------------------"
            "----\n"
            "convolution_or_gemm         3   9.00   90.0 %    4.00   0.00   0.00   0.00    5.00   "
            "0.00\n"
            "norm_activation             1   1.00   10.0 %    1.00   0.00   0.00   0.00    0.00   "
            "0.00\n"
            "-------------------------------------------------------------------------------------"
            "----\n"
            "sum                         4  10.00  100.0 %    5.00   0.00   0.00   0.00    5.00   "
            "0.00\n"
            "share                                          50.0 %  0.0 %  0.0 %  0.0 %  50.0 %  "
            "0.0 %\n");
}

TEST(CategoryTable, JsonHoldsTheSameNumbers) {
  JsonWriter json;
  WriteCategories(Times(), json);
  const JsonValue written = ParseJson(json.text());
  ASSERT_EQ(written.array()->size(), 2u);
  const JsonValue& first = written.array()->front();
  EXPECT_EQ(*first.Find("name")->string(), "convolution_or_gemm");
  EXPECT_DOUBLE_EQ(first.Find("ms")->number().value(), 9);
  EXPECT_DOUBLE_EQ(first.Find("share")->number().value(), 0.9);
  EXPECT_EQ(first.Find("launches")->integer(), 3);
  EXPECT_DOUBLE_EQ(first.Find("block_ms")->Find("up3")->number().value(), 5);
}

}  // namespace
}  // namespace causeway::bench
