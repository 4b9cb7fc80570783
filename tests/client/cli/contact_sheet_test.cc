// SPDX-License-Identifier: Apache-2.0
#include "client/cli/contact_sheet.h"

#include <stdexcept>

#include <gtest/gtest.h>

namespace causeway::cli {
namespace {

constexpr int kHeight = 2;
constexpr int kWidth = 3;

std::vector<std::byte> Frame(int level) {
  return std::vector<std::byte>(kHeight * kWidth * 3, std::byte(level));
}

// The level of the cell in that row and column; -1 where the cell is not of one level.
int Cell(const ContactSheet& sheet, int row, int column) {
  const auto line = static_cast<std::size_t>(sheet.width()) * 3;
  const auto cell_line = static_cast<std::size_t>(kWidth) * 3;
  int level = -2;
  for (int y = row * kHeight; y < (row + 1) * kHeight; ++y) {
    const auto cell = sheet.rgb().subspan(
        static_cast<std::size_t>(y) * line + static_cast<std::size_t>(column) * cell_line,
        cell_line);
    for (const std::byte byte : cell) {
      const int here = std::to_integer<int>(byte);
      if (level != -2 && level != here) return -1;
      level = here;
    }
  }
  return level;
}

TEST(ContactSheet, SpreadsEightFramesOverTheVideoWithFirstAndLast) {
  const ContactSheet sheet(97, kHeight, kWidth, false);
  EXPECT_EQ(sheet.shown(), (std::vector<std::int64_t>{0, 14, 27, 41, 55, 69, 82, 96}));
  EXPECT_TRUE(sheet.Shows(96));
  EXPECT_FALSE(sheet.Shows(1));
}

TEST(ContactSheet, PutsEachRowOfSourcesAboveTheirFrames) {
  ContactSheet sheet(8, kHeight, kWidth, true);
  EXPECT_EQ(sheet.height(), 4 * kHeight);
  EXPECT_EQ(sheet.width(), 4 * kWidth);
  for (int i = 0; i < 8; ++i) sheet.Place(i, Frame(100 + i), Frame(200 + i));
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(Cell(sheet, i / 4 * 2, i % 4), 200 + i);
    EXPECT_EQ(Cell(sheet, i / 4 * 2 + 1, i % 4), 100 + i);
  }
}

TEST(ContactSheet, HasOnlyFramesWithoutASource) {
  ContactSheet sheet(8, kHeight, kWidth, false);
  EXPECT_EQ(sheet.height(), 2 * kHeight);
  for (int i = 0; i < 8; ++i) sheet.Place(i, Frame(100 + i), {});
  EXPECT_EQ(Cell(sheet, 0, 3), 103);
  EXPECT_EQ(Cell(sheet, 1, 0), 104);
}

TEST(ContactSheet, LeavesTheCellOfAMissingSourceGrey) {
  ContactSheet sheet(1, kHeight, kWidth, true);
  sheet.Place(0, Frame(9), {});
  EXPECT_EQ(Cell(sheet, 0, 0), 64);
  EXPECT_EQ(Cell(sheet, 1, 0), 9);
}

TEST(ContactSheet, ShowsEveryFrameOfAShortVideoOnce) {
  for (int frames = 1; frames <= 8; ++frames) {
    const ContactSheet sheet(frames, kHeight, kWidth, false);
    ASSERT_EQ(sheet.shown().size(), static_cast<std::size_t>(frames));
    for (int i = 0; i < frames; ++i) EXPECT_EQ(sheet.shown()[static_cast<std::size_t>(i)], i);
    EXPECT_EQ(sheet.width(), std::min(frames, 4) * kWidth);
    EXPECT_EQ(sheet.height(), (frames > 4 ? 2 : 1) * kHeight);
  }
}

TEST(ContactSheet, RefusesOtherFramesAndOtherSizes) {
  ContactSheet sheet(97, kHeight, kWidth, false);
  EXPECT_THROW(sheet.Place(1, Frame(0), {}), std::invalid_argument);
  EXPECT_THROW(sheet.Place(0, std::vector<std::byte>(5), {}), std::invalid_argument);
}

}  // namespace
}  // namespace causeway::cli
