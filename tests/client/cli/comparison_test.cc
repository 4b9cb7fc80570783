// SPDX-License-Identifier: Apache-2.0
#include "client/cli/comparison.h"

#include <cmath>

#include <gtest/gtest.h>

#include "server/base/failure.h"

namespace causeway::cli {
namespace {

const std::string kReference =
    std::string(CAUSEWAY_SOURCE_DIR) + "/deploy/demo/reference.mkv";  // 25 frames of 192x320

TEST(Comparison, OfAVideoWithItselfFindsItIdentical) {
  VideoReader reader(kReference);
  Comparison comparison(kReference, 192, 320);
  std::string rgb;
  while (reader.Next(rgb)) {
    EXPECT_EQ(comparison.Next(std::as_bytes(std::span(rgb))).size(), rgb.size());
  }
  EXPECT_EQ(comparison.Summary()->frames, 25);
  EXPECT_TRUE(std::isinf(comparison.Summary()->overall_db));
}

TEST(Comparison, StopsWhereTheVideoIsShorter) {
  Comparison comparison(kReference, 192, 320);
  const std::vector<std::byte> black(192 * 320 * 3);
  for (int i = 0; i < 25; ++i) EXPECT_FALSE(comparison.Next(black).empty());
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(comparison.Next(black).empty());
  EXPECT_EQ(comparison.Summary()->frames, 25);
}

TEST(Comparison, RefusesAVideoOfAnotherSize) {
  try {
    const Comparison comparison(kReference, 320, 192);
    FAIL();
  } catch (const FileError& error) {
    EXPECT_NE(std::string(error.what()).find("got 192x320"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("allowed: 320x192"), std::string::npos);
  }
}

}  // namespace
}  // namespace causeway::cli
