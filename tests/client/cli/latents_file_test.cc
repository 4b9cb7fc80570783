// SPDX-License-Identifier: Apache-2.0
#include "client/cli/latents_file.h"

#include <cstring>
#include <fstream>

#include <gtest/gtest.h>

#include "server/base/failure.h"
#include "tests/client/cli/test_files.h"

namespace causeway::cli {
namespace {

constexpr int kC = 3, kT = 5, kH = 2, kW = 4;

// An element says where it is: 1000 c + 100 t + 10 y + x.
float Element(int c, int t, int y, int x) {
  return static_cast<float>(1000 * c + 100 * t + 10 * y + x);
}

void WriteLatents(const std::string& path, LatentAxes axes, bool has_batch) {
  std::vector<float> values;
  const bool is_cthw = axes == LatentAxes::kCthw;
  for (int i = 0; i < (is_cthw ? kC : kT); ++i) {
    for (int j = 0; j < (is_cthw ? kT : kC); ++j) {
      for (int y = 0; y < kH; ++y) {
        for (int x = 0; x < kW; ++x) {
          values.push_back(is_cthw ? Element(i, j, y, x) : Element(j, i, y, x));
        }
      }
    }
  }
  std::vector<std::int64_t> shape{is_cthw ? kC : kT, is_cthw ? kT : kC, kH, kW};
  if (has_batch) shape.insert(shape.begin(), 1);
  WriteSafetensors(path,
                   {{"latents", {TensorDtype::kF32, shape, std::as_bytes(std::span(values))}}});
}

std::vector<float> Floats(const std::string& payload) {
  std::vector<float> values(payload.size() / sizeof(float));
  std::memcpy(values.data(), payload.data(), payload.size());
  return values;
}

std::string ErrorOf(const std::string& path, const std::string& key,
                    LatentAxes axes = LatentAxes::kCthw, std::int64_t channels = 0) {
  try {
    const LatentsFile file(path, key, axes);
    if (channels > 0) file.CheckChannels(channels);
  } catch (const FileError& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    return error.what();
  }
  ADD_FAILURE() << "accepted";
  return "";
}

void ExpectHas(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(LatentsFile, CutsChunksOfCthwChannelByChannel) {
  const test::TestFolder folder;
  for (const bool has_batch : {false, true}) {
    WriteLatents(folder.Path("a.safetensors"), LatentAxes::kCthw, has_batch);
    const LatentsFile file(folder.Path("a.safetensors"), "latents", LatentAxes::kCthw);
    EXPECT_EQ(file.channels(), kC);
    EXPECT_EQ(file.latents(), kT);
    EXPECT_EQ(file.height(), kH);
    EXPECT_EQ(file.width(), kW);
    const std::vector<float> chunk = Floats(file.Chunk(2, 2, v1::DTYPE_F32));
    std::size_t i = 0;
    for (int c = 0; c < kC; ++c) {
      for (int t = 2; t < 4; ++t) {
        for (int y = 0; y < kH; ++y) {
          for (int x = 0; x < kW; ++x) EXPECT_EQ(chunk.at(i++), Element(c, t, y, x));
        }
      }
    }
    EXPECT_EQ(i, chunk.size());
  }
}

TEST(LatentsFile, CutsChunksOfTchwLatentByLatent) {
  const test::TestFolder folder;
  WriteLatents(folder.Path("a.safetensors"), LatentAxes::kTchw, false);
  const LatentsFile file(folder.Path("a.safetensors"), "latents", LatentAxes::kTchw);
  EXPECT_EQ(file.channels(), kC);
  EXPECT_EQ(file.latents(), kT);
  const std::vector<float> chunk = Floats(file.Chunk(4, 1, v1::DTYPE_F32));
  ASSERT_EQ(chunk.size(), static_cast<std::size_t>(kC * kH * kW));
  EXPECT_EQ(chunk.front(), Element(0, 4, 0, 0));
  EXPECT_EQ(chunk.back(), Element(kC - 1, 4, kH - 1, kW - 1));
}

TEST(LatentsFile, ConvertsToTheTypeOnTheWire) {
  const test::TestFolder folder;
  WriteLatents(folder.Path("a.safetensors"), LatentAxes::kCthw, false);
  const LatentsFile file(folder.Path("a.safetensors"), "latents", LatentAxes::kCthw);
  EXPECT_EQ(file.dtype(), v1::DTYPE_F32);
  EXPECT_EQ(file.Chunk(0, kT, v1::DTYPE_F16).size(), std::size_t{kC * kT * kH * kW * 2});
}

TEST(LatentsFile, ListsTheTensorsWhereTheKeyIsWrong) {
  const test::TestFolder folder;
  WriteLatents(folder.Path("a.safetensors"), LatentAxes::kCthw, false);
  const std::string error = ErrorOf(folder.Path("a.safetensors"), "z");
  ExpectHas(error, "got z");
  ExpectHas(error, "latents F32 [3, 5, 2, 4]");
}

TEST(LatentsFile, RefusesWrongShapesAndTypes) {
  const test::TestFolder folder;
  const std::string path = folder.Path("a.safetensors");
  WriteZeroLatents(path, TensorDtype::kF32, {3, 5, 2});
  ExpectHas(ErrorOf(path, "latents"), "got shape [3, 5, 2], allowed: [C, T, h, w]");
  WriteZeroLatents(path, TensorDtype::kF32, {2, 3, 5, 2, 4});
  ExpectHas(ErrorOf(path, "latents"), "got shape [2, 3, 5, 2, 4]");
  WriteZeroLatents(path, TensorDtype::kF32, {3, 0, 2, 4});
  ExpectHas(ErrorOf(path, "latents"), "at least 1");
  WriteZeroLatents(path, TensorDtype::kF64, {3, 5, 2, 4});
  ExpectHas(ErrorOf(path, "latents"), "got type F64, allowed: F32, F16, BF16");
}

TEST(LatentsFile, SaysWhichAxesWouldFitTheModel) {
  const test::TestFolder folder;
  const std::string path = folder.Path("a.safetensors");
  WriteZeroLatents(path, TensorDtype::kF32, {16, 5, 2, 4});
  ExpectHas(ErrorOf(path, "latents", LatentAxes::kTchw, 16), "--axes cthw");
  const std::string error = ErrorOf(path, "latents", LatentAxes::kCthw, 48);
  ExpectHas(error, "got 16 channels");
  ExpectHas(error, "allowed: 48");
  EXPECT_EQ(error.find("--axes"), std::string::npos) << error;
}

TEST(LatentsFile, RefusesMissingAndTruncatedFiles) {
  const test::TestFolder folder;
  ExpectHas(ErrorOf(folder.Path("missing.safetensors"), "latents"), "missing.safetensors");
  WriteLatents(folder.Path("a.safetensors"), LatentAxes::kCthw, false);
  std::filesystem::resize_file(folder.Path("a.safetensors"),
                               std::filesystem::file_size(folder.Path("a.safetensors")) - 1);
  ExpectHas(ErrorOf(folder.Path("a.safetensors"), "latents"), "a.safetensors");
}

}  // namespace
}  // namespace causeway::cli
