// SPDX-License-Identifier: Apache-2.0
#include "server/decoder/types.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace causeway::decoder {
namespace {

TEST(Types, GeometryReadsHeightByWidth) { EXPECT_EQ(ToString(Geometry{704, 1280}), "704x1280"); }

TEST(Types, EveryCategoryHasItsOwnNameInTheLabelAlphabet) {
  std::set<std::string> names;
  for (int i = 0; i < kCategoryCount; ++i) {
    const std::string name = CategoryName(static_cast<Category>(i));
    EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_"), std::string::npos);
    EXPECT_TRUE(names.insert(name).second) << name;
  }
  EXPECT_STREQ(CategoryName(Category::kConvolutionOrGemm), "convolution_or_gemm");
  EXPECT_STREQ(CategoryName(Category::kTransferH2d), "transfer_h2d");
  EXPECT_STREQ(CategoryName(static_cast<Category>(kCategoryCount - 1)), "other");
}

TEST(Types, EveryBlockHasItsOwnName) {
  std::set<std::string> names;
  for (int i = 0; i < kBlockCount; ++i) names.insert(BlockName(static_cast<Block>(i)));
  EXPECT_EQ(names, (std::set<std::string>{"mid", "up0", "up1", "up2", "up3", "head"}));
}

}  // namespace
}  // namespace causeway::decoder
