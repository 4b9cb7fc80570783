// SPDX-License-Identifier: Apache-2.0
#include "client/cli/video_writer.h"

#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "client/cli/psnr.h"
#include "client/cli/video_reader.h"
#include "server/base/failure.h"
#include "tests/client/cli/test_files.h"

namespace causeway::cli {
namespace {

constexpr int kHeight = 48;
constexpr int kWidth = 72;
constexpr int kFrames = 7;

using Bytes = std::vector<std::byte>;

Bytes Flat(int red, int green, int blue) {
  Bytes rgb;
  for (int i = 0; i < kHeight * kWidth; ++i) {
    for (const int level : {red, green, blue}) rgb.push_back(static_cast<std::byte>(level));
  }
  return rgb;
}

// Black and white squares of 8 pixels, exchanged from frame to frame.
Bytes Chessboard(int frame) {
  Bytes rgb;
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      const auto level = static_cast<std::byte>((x / 8 + y / 8 + frame) % 2 * 255);
      rgb.insert(rgb.end(), 3, level);
    }
  }
  return rgb;
}

void WriteChessboards(VideoWriter& writer, int frames) {
  for (int i = 0; i < frames; ++i) writer.Write(Chessboard(i));
}

// The colours go to 8-bit Y'CbCr of limited range and back. Rounding moves Y', Cb and Cr by at most
// 0.5, hence R' by (0.5 * 255/219) + 1.5748 * (0.5 * 255/224) = 1.48, B' by 0.58 + 1.8556 * 0.57 =
// 1.64, G' by 0.58 + (0.1873 + 0.4681) * 0.57 = 0.95; rounding those adds 0.5: at most 2 levels.
// The matrix of BT.601 or full range would move the saturated colours by 15 levels and more.
TEST(VideoWriter, KeepsColoursToWithinRounding) {
  const test::TestFolder folder;
  const std::array<std::array<int, 3>, 6> colours{
      {{255, 0, 0}, {0, 255, 0}, {0, 0, 255}, {255, 255, 255}, {0, 0, 0}, {200, 120, 40}}};
  {
    VideoWriter writer(folder.Path("colours.y4m"), {kHeight, kWidth, 25, AV_PIX_FMT_RGB24});
    for (const auto& [red, green, blue] : colours) writer.Write(Flat(red, green, blue));
    writer.Finish();
  }
  VideoReader reader(folder.Path("colours.y4m"));
  std::string rgb;
  for (const auto& colour : colours) {
    ASSERT_TRUE(reader.Next(rgb));
    for (std::size_t i = 0; i < rgb.size(); ++i) {
      ASSERT_NEAR(static_cast<unsigned char>(rgb[i]), colour[i % 3], 2)
          << "channel " << i % 3 << " of " << colour[0] << " " << colour[1] << " " << colour[2];
    }
  }
  EXPECT_FALSE(reader.Next(rgb));
}

// H.264's transform is orthonormal up to rounding, and a coefficient is off by less than its
// quantiser's step, at most 10 levels of Y' (kMaxQuantiser): in grey pictures R', G' and B' are off
// by 10 * 255/219 = 11.6 root mean square, and by 1.1 more from rounding: 26 dB. Frames out of
// order, upside down or shifted by a block would be near 0 dB.
TEST(VideoWriter, WritesH264WithinItsQuantiser) {
  const test::TestFolder folder;
  {
    VideoWriter writer(folder.Path("a video.mp4"), {kHeight, kWidth, 25, AV_PIX_FMT_RGB24});
    WriteChessboards(writer, kFrames);
    EXPECT_FALSE(std::filesystem::exists(folder.Path("a video.mp4")));
    writer.Finish();
  }
  VideoReader reader(folder.Path("a video.mp4"));
  EXPECT_EQ(reader.height(), kHeight);
  EXPECT_EQ(reader.width(), kWidth);
  Psnr psnr;
  std::string rgb;
  for (int i = 0; reader.Next(rgb); ++i) psnr.Add(std::as_bytes(std::span(rgb)), Chessboard(i));
  EXPECT_EQ(psnr.Summary()->frames, kFrames);
  EXPECT_GT(psnr.Summary()->worst_db, 26);
  EXPECT_EQ(FileCount(folder), 1);
}

TEST(VideoWriter, TagsSizeRateColoursAndPutsTheIndexInFront) {
  const test::TestFolder folder;
  const std::string path = folder.Path("tags.mp4");
  {
    VideoWriter writer(path, {kHeight, kWidth, 24000.0 / 1001, AV_PIX_FMT_RGB24});
    WriteChessboards(writer, kFrames);
    writer.Finish();
  }
  AVFormatContext* format = nullptr;
  ASSERT_EQ(avformat_open_input(&format, path.c_str(), nullptr, nullptr), 0);
  ASSERT_GE(avformat_find_stream_info(format, nullptr), 0);
  const AVStream& stream = *format->streams[0];
  EXPECT_EQ(stream.codecpar->codec_id, AV_CODEC_ID_H264);
  EXPECT_EQ(stream.codecpar->color_range, AVCOL_RANGE_MPEG);
  EXPECT_EQ(stream.codecpar->color_space, AVCOL_SPC_BT709);
  EXPECT_EQ(stream.codecpar->color_primaries, AVCOL_PRI_BT709);
  EXPECT_EQ(stream.codecpar->color_trc, AVCOL_TRC_BT709);
  EXPECT_EQ(av_cmp_q(stream.avg_frame_rate, {24000, 1001}), 0)
      << stream.avg_frame_rate.num << "/" << stream.avg_frame_rate.den;
  EXPECT_EQ(stream.nb_frames, kFrames);
  avformat_close_input(&format);

  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  EXPECT_LT(bytes.find("moov"), bytes.find("mdat"));
}

TEST(VideoWriter, PassesYuvThroughUnchanged) {
  const test::TestFolder folder;
  Bytes i420(kHeight * kWidth * 3 / 2);
  for (std::size_t i = 0; i < i420.size(); ++i) i420[i] = static_cast<std::byte>(16 + i % 200);
  {
    VideoWriter writer(folder.Path("x.y4m"), {kHeight, kWidth, 25, AV_PIX_FMT_YUV420P});
    writer.Write(i420);
    writer.Finish();
  }
  std::ifstream file(folder.Path("x.y4m"), std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const std::string planes(reinterpret_cast<const char*>(i420.data()), i420.size());
  ASSERT_GT(bytes.size(), planes.size());
  EXPECT_EQ(bytes.substr(bytes.size() - planes.size()), planes);
}

TEST(VideoWriter, LeavesNothingWithoutFinish) {
  const test::TestFolder folder;
  {
    VideoWriter writer(folder.Path("x.mp4"), {kHeight, kWidth, 25, AV_PIX_FMT_RGB24});
    WriteChessboards(writer, kFrames);
  }
  EXPECT_EQ(FileCount(folder), 0);
}

TEST(VideoWriter, RefusesAFolderThatIsNotThere) {
  const test::TestFolder folder;
  EXPECT_THROW(VideoWriter(folder.Path("missing/x.mp4"), {kHeight, kWidth, 25, AV_PIX_FMT_RGB24}),
               FileError);
}

// A limit on the size of files stands for the full disk.
TEST(VideoWriter, ReportsAFullDiskAndLeavesNothing) {
  std::signal(SIGXFSZ, SIG_IGN);
  for (const char* name : {"x.mp4", "x.y4m"}) {
    const test::TestFolder folder;
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
    const rlimit small{512, before.rlim_max};
    {
      VideoWriter writer(folder.Path(name), {kHeight, kWidth, 25, AV_PIX_FMT_RGB24});
      ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
      const auto write_all = [&writer] {
        WriteChessboards(writer, kFrames);
        writer.Finish();
      };
      EXPECT_THROW(write_all(), FileError);
      ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
    }
    EXPECT_EQ(FileCount(folder), 0) << name;
  }
}

}  // namespace
}  // namespace causeway::cli
