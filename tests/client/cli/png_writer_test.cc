// SPDX-License-Identifier: Apache-2.0
#include "client/cli/png_writer.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "client/cli/video_reader.h"
#include "tests/client/cli/test_files.h"

namespace causeway::cli {
namespace {

TEST(PngWriter, WritesExactlyThePicture) {
  const test::TestFolder folder;
  // A width whose rows need padding in FFmpeg's own buffers.
  std::vector<std::byte> picture(6 * 10 * 3);
  for (std::size_t i = 0; i < picture.size(); ++i) picture[i] = static_cast<std::byte>(i * 7);
  OutputFile file(folder.Path("a sheet.png"));
  WritePng(file, 6, 10, picture);
  VideoReader reader(folder.Path("a sheet.png"));
  EXPECT_EQ(reader.height(), 6);
  EXPECT_EQ(reader.width(), 10);
  std::string rgb;
  ASSERT_TRUE(reader.Next(rgb));
  const auto bytes = std::as_bytes(std::span(rgb));
  EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), picture.begin(), picture.end()));
  EXPECT_EQ(FileCount(folder), 1);
}

}  // namespace
}  // namespace causeway::cli
