// SPDX-License-Identifier: Apache-2.0
#include "client/cli/frame_sink.h"

#include <gtest/gtest.h>

#include "server/base/failure.h"
#include "server/base/safetensors.h"
#include "tests/client/cli/test_files.h"

namespace causeway::cli {
namespace {

constexpr int kHeight = 16;
constexpr int kWidth = 8;
constexpr std::size_t kFrameBytes = std::size_t{3} * kHeight * kWidth;

std::vector<std::byte> Pixels(int value) {
  return std::vector<std::byte>(kFrameBytes, static_cast<std::byte>(value));
}

TEST(FrameSink, RepeatsTheFrameBeforeADroppedOneAndKeepsItOutOfAPictureFolder) {
  const test::TestFolder folder;
  DecodeOptions options;
  options.delivery = "drop-oldest";
  options.outputs = {folder.Path("frames.safetensors"), folder.Path("pictures/")};
  FrameSink sink(options, kHeight, kWidth);
  sink.Open(4);
  sink.Drop();
  sink.Take(Pixels(5));
  sink.Drop();
  sink.Take(Pixels(6));
  EXPECT_EQ(sink.frames(), 4);
  sink.Finish();
  const SafetensorsFile file = SafetensorsFile::Open(options.outputs[0]);
  const auto bytes = file.Find("frames")->bytes;
  ASSERT_EQ(bytes.size(), 4 * kFrameBytes);
  const std::vector<int> expected{0, 5, 5, 6};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(std::to_integer<int>(bytes[i * kFrameBytes]), expected[i]);
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.Path("pictures")), {}), 2);
}

TEST(FrameSink, DoesNotCompareADroppedFrame) {
  // 25 frames of 192x320, compared with themselves.
  const std::string reference = std::string(CAUSEWAY_SOURCE_DIR) + "/deploy/demo/reference.mkv";
  DecodeOptions options;
  options.reference_path = reference;
  FrameSink sink(options, 192, 320);
  sink.Open(25);
  VideoReader reader(reference);
  std::string rgb;
  for (int i = 0; i < 25; ++i) {
    ASSERT_TRUE(reader.Next(rgb));
    if (i % 2 == 0) {
      sink.Take(std::as_bytes(std::span(rgb)));
    } else {
      sink.Drop();
    }
  }
  const auto comparisons = sink.Comparisons();
  ASSERT_EQ(comparisons.size(), 1u);
  EXPECT_EQ(comparisons[0].psnr->frames, 13);
  EXPECT_TRUE(std::isinf(comparisons[0].psnr->overall_db));
}

TEST(FrameSink, RefusesAnOutputThatIsAnInputOrNamedTwiceHoweverItIsSpelled) {
  const test::TestFolder folder;
  const std::string file = folder.Path("mine.safetensors");
  const std::string again = folder.Path("") + "./mine.safetensors";
  DecodeOptions options;
  options.latents_path = file;
  options.outputs = {again};
  EXPECT_THROW(FrameSink(options, kHeight, kWidth), FileError);
  options.latents_path = folder.Path("other.safetensors");
  EXPECT_NO_THROW(FrameSink(options, kHeight, kWidth));
  options.outputs = {file, again};
  EXPECT_THROW(FrameSink(options, kHeight, kWidth), FileError);
}

TEST(FrameSink, RefusesAnEndingBeforeAnythingIsOpened) {
  DecodeOptions options;
  options.outputs = {"x.avi"};
  EXPECT_THROW(FrameSink(options, kHeight, kWidth), FileError);
}

}  // namespace
}  // namespace causeway::cli
