// SPDX-License-Identifier: Apache-2.0
#include "client/cli/video_reader.h"

#include <cstdint>
#include <fstream>

#include <gtest/gtest.h>

#include "client/cli/psnr.h"
#include "server/base/failure.h"
#include "tests/client/cli/test_files.h"

namespace causeway::cli {
namespace {

const std::string kDemo = std::string(CAUSEWAY_SOURCE_DIR) + "/deploy/demo/";

// FNV-1a, 64 bit.
std::uint64_t Hash(const std::string& bytes, std::uint64_t hash = 0xcbf29ce484222325) {
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  return hash;
}

// The hash is that of the 8-bit frames which deploy/demo/export.py made the file from; they were
// computed again from the demo's latents by diffusers and found equal to this reader's.
TEST(VideoReader, ReadsLosslessRgbExactly) {
  VideoReader reader(kDemo + "reference.mkv");
  EXPECT_EQ(reader.height(), 192);
  EXPECT_EQ(reader.width(), 320);
  std::string rgb;
  std::uint64_t hash = Hash("");
  int frames = 0;
  for (; reader.Next(rgb); ++frames) hash = Hash(rgb, hash);
  EXPECT_EQ(frames, 25);
  EXPECT_EQ(hash, 0xda946f5ca6bd2a7d);
}

// deploy/demo/numbers.json: the decode's first frame is at 27.109 dB from the source read as BT.709
// limited range, by another conversion of FFmpeg. The two differ by the rounding of single levels,
// far below the 0.05 dB allowed; BT.601 or full range would be off by whole decibels.
TEST(VideoReader, ReadsTheDemoSourceAsBt709) {
  VideoReader source(kDemo + "source.mp4");
  VideoReader reference(kDemo + "reference.mkv");
  std::string source_rgb;
  std::string reference_rgb;
  ASSERT_TRUE(source.Next(source_rgb));
  ASSERT_TRUE(reference.Next(reference_rgb));
  Psnr psnr;
  psnr.Add(std::as_bytes(std::span(reference_rgb)), std::as_bytes(std::span(source_rgb)));
  EXPECT_NEAR(psnr.Summary()->overall_db, 27.109, 0.05);
  int frames = 1;
  while (source.Next(source_rgb)) ++frames;
  EXPECT_EQ(frames, 97);
  EXPECT_FALSE(source.Next(source_rgb));
}

TEST(VideoReader, RefusesWhatIsNoVideo) {
  const test::TestFolder folder;
  EXPECT_THROW(VideoReader(folder.Path("missing.mp4")), FileError);
  std::ofstream(folder.Path("text.mp4")) << "not a video\n";
  EXPECT_THROW(VideoReader(folder.Path("text.mp4")), FileError);
  EXPECT_THROW(VideoReader(kDemo + "latents.safetensors"), FileError);
}

TEST(VideoReader, RefusesATruncatedVideo) {
  const test::TestFolder folder;
  std::ifstream whole(kDemo + "source.mp4", std::ios::binary);
  std::string bytes(20000, '\0');
  whole.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  std::ofstream(folder.Path("cut.mp4"), std::ios::binary) << bytes;
  EXPECT_THROW(
      {
        VideoReader reader(folder.Path("cut.mp4"));
        std::string rgb;
        while (reader.Next(rgb)) {
        }
      },
      FileError);
}

}  // namespace
}  // namespace causeway::cli
