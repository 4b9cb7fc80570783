// SPDX-License-Identifier: Apache-2.0
#include "client/cli/frame_output.h"

#include <gtest/gtest.h>

#include "server/base/failure.h"
#include "server/base/safetensors.h"
#include "tests/client/cli/test_files.h"

namespace causeway::cli {
namespace {

constexpr int kHeight = 16;
constexpr int kWidth = 32;
constexpr int kFrames = 5;

OutputSpec Spec(const PixelLayout& layout) { return {layout, kFrames, kHeight, kWidth, 25, true}; }

void WriteAll(FrameOutput& output, const PixelLayout& layout) {
  std::size_t frame_bytes = static_cast<std::size_t>(TensorDtypeBytes(layout.dtype));
  for (const std::int64_t extent : FramesShape(layout, 1, kHeight, kWidth)) {
    frame_bytes *= static_cast<std::size_t>(extent);
  }
  const std::vector<std::byte> rgb(kHeight * kWidth * 3, std::byte{9});
  for (int i = 0; i < kFrames; ++i) {
    const std::vector<std::byte> pixels(frame_bytes, std::byte(i + 1));
    output.Write({i, pixels, rgb, rgb});
  }
}

TEST(FrameOutput, WritesEveryFormatToEveryKindOfFile) {
  const test::TestFolder folder;
  int files = 0;
  for (const PixelLayout& layout : PixelLayouts()) {
    for (const char* ending : {".mp4", ".y4m", ".png", ".safetensors", "/"}) {
      const std::string path = folder.Path(std::string(layout.name) + ending);
      const auto output = OpenOutput(path, Spec(layout));
      WriteAll(*output, layout);
      EXPECT_FALSE(std::filesystem::exists(path)) << path;
      output->Finish();
      EXPECT_TRUE(std::filesystem::exists(path)) << path;
      EXPECT_FALSE(std::filesystem::is_empty(path)) << path;
      ++files;
    }
  }
  EXPECT_EQ(FileCount(folder), files);
}

TEST(FrameOutput, KeepsTheBytesOfFramesInATensor) {
  const test::TestFolder folder;
  for (const PixelLayout& layout : PixelLayouts()) {
    const std::string path = folder.Path("frames.safetensors");
    const auto output = OpenOutput(path, Spec(layout));
    WriteAll(*output, layout);
    output->Finish();
    const SafetensorsFile file = SafetensorsFile::Open(path);
    const TensorView* frames = file.Find("frames");
    ASSERT_NE(frames, nullptr);
    EXPECT_EQ(frames->dtype, layout.dtype);
    EXPECT_EQ(frames->shape, FramesShape(layout, kFrames, kHeight, kWidth));
    EXPECT_EQ(frames->bytes.front(), std::byte{1});
    EXPECT_EQ(frames->bytes.back(), std::byte{kFrames});
  }
}

TEST(FrameOutput, LeavesNothingWhereItIsNotFinished) {
  const test::TestFolder folder;
  for (const char* ending : {"x.mp4", "x.y4m", "x.png", "x.safetensors", "x/"}) {
    const auto output = OpenOutput(folder.Path(ending), Spec(PixelLayouts()[0]));
    WriteAll(*output, PixelLayouts()[0]);
  }
  EXPECT_EQ(FileCount(folder), 0);
}

TEST(FrameOutput, RefusesOtherEndings) {
  for (const char* path : {"x.mkv", "x", "x.MP4", "folder.mp4/x", "/dev/full"}) {
    EXPECT_THROW(CheckOutputEnding(path), FileError) << path;
  }
  EXPECT_NO_THROW(CheckOutputEnding("a b/x.y.mp4"));
  EXPECT_NO_THROW(CheckOutputEnding("a b/pictures.avi/"));
}

}  // namespace
}  // namespace causeway::cli
