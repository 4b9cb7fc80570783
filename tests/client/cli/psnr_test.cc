// SPDX-License-Identifier: Apache-2.0
#include "client/cli/psnr.h"

#include <cmath>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

namespace causeway::cli {
namespace {

std::vector<std::byte> Grey(int level) { return std::vector<std::byte>(100, std::byte(level)); }

// Every sample off by d has mean square d^2.
double OffBy(double d) { return 20 * std::log10(255 / d); }

TEST(Psnr, IsThatOfTheMeanSquareErrorOverAllFrames) {
  Psnr psnr;
  psnr.Add(Grey(10), Grey(13));
  psnr.Add(Grey(10), Grey(6));
  psnr.Add(Grey(200), Grey(201));
  const PsnrSummary summary = psnr.Summary().value();
  EXPECT_EQ(summary.frames, 3);
  EXPECT_DOUBLE_EQ(summary.overall_db, OffBy(std::sqrt((9.0 + 16.0 + 1.0) / 3)));
  EXPECT_DOUBLE_EQ(summary.first_db, OffBy(3));
  EXPECT_DOUBLE_EQ(summary.worst_db, OffBy(4));
  EXPECT_DOUBLE_EQ(summary.best_db, OffBy(1));
  EXPECT_DOUBLE_EQ(summary.last_db, OffBy(1));
}

TEST(Psnr, CountsTheLargestDifferenceInBothDirections) {
  Psnr psnr;
  psnr.Add(Grey(0), Grey(255));
  psnr.Add(Grey(255), Grey(0));
  EXPECT_DOUBLE_EQ(psnr.Summary()->overall_db, 0);
}

TEST(Psnr, OfEqualFramesIsInfinite) {
  Psnr psnr;
  psnr.Add(Grey(10), Grey(10));
  EXPECT_TRUE(std::isinf(psnr.Summary()->overall_db));
}

TEST(Psnr, OfNoFramesIsNothing) { EXPECT_FALSE(Psnr().Summary()); }

TEST(Psnr, RefusesFramesOfDifferentSizes) {
  Psnr psnr;
  EXPECT_THROW(psnr.Add(Grey(1), std::vector<std::byte>(99)), std::invalid_argument);
}

}  // namespace
}  // namespace causeway::cli
