// SPDX-License-Identifier: Apache-2.0
#include "server/bench/latent_source.h"

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "server/base/safetensors_writer.h"
#include "tests/support/test_folder.h"

namespace causeway::bench {
namespace {

using decoder::LatentAxes;
using test::FileErrorOf;
using test::TestFolder;

constexpr int kChannels = 2;

std::string WriteFloats(const TestFolder& folder, std::vector<std::int64_t> shape,
                        const std::vector<float>& values) {
  const std::string path = folder.Path("latents.safetensors");
  WriteSafetensors(
      path, {{"latents", {TensorDtype::kF32, std::move(shape), std::as_bytes(std::span(values))}}});
  return path;
}

/// [2, 3, 1, 2]: channel, latent, row, column are the digits of a value.
const std::vector<float>& ChannelsFirst() {
  static const std::vector<float> values{0,    1,    100,  101,  200,  201,
                                         1000, 1001, 1100, 1101, 1200, 1201};
  return values;
}

std::vector<float> ReadLatent(const LatentSource& source, int index) {
  std::vector<float> latent(4, NAN);
  source.Read(index, latent);
  return latent;
}

TEST(FileLatents, TakeOneLatentOutOfChannelsFirst) {
  const TestFolder folder;
  const FileLatents source({.path = WriteFloats(folder, {2, 3, 1, 2}, ChannelsFirst())}, kChannels);
  EXPECT_EQ(source.shape().latents, 3);
  EXPECT_EQ(source.shape().height, 1);
  EXPECT_EQ(source.shape().width, 2);
  EXPECT_EQ(ReadLatent(source, 1), (std::vector<float>{100, 101, 1100, 1101}));
}

TEST(FileLatents, TakeOneLatentOutOfLatentsFirst) {
  const TestFolder folder;
  const std::vector<float> values{0, 1, 1000, 1001, 100, 101, 1100, 1101, 200, 201, 1200, 1201};
  const FileLatents source(
      {.path = WriteFloats(folder, {3, 2, 1, 2}, values), .axes = LatentAxes::kTchw}, kChannels);
  EXPECT_EQ(source.shape().latents, 3);
  EXPECT_EQ(ReadLatent(source, 2), (std::vector<float>{200, 201, 1200, 1201}));
}

TEST(FileLatents, AcceptABatchOfOne) {
  const TestFolder folder;
  const FileLatents source({.path = WriteFloats(folder, {1, 2, 3, 1, 2}, ChannelsFirst())},
                           kChannels);
  EXPECT_EQ(ReadLatent(source, 0), (std::vector<float>{0, 1, 1000, 1001}));
}

TEST(FileLatents, RefuseAnotherNumberOfChannelsWithShapeAndAxes) {
  const TestFolder folder;
  const std::string path = WriteFloats(folder, {3, 2, 1, 2}, ChannelsFirst());
  EXPECT_EQ(FileErrorOf([&] { FileLatents({.path = path}, kChannels); }),
            path +
                ": 'latents': got shape [3, 2, 1, 2] (3 channels), allowed: [2, T, h, w] with "
                "--axes cthw");
  EXPECT_EQ(FileErrorOf([&] { FileLatents({.path = path, .axes = LatentAxes::kTchw}, 3); }),
            path +
                ": 'latents': got shape [3, 2, 1, 2] (2 channels), allowed: [T, 3, h, w] with "
                "--axes tchw");
}

TEST(FileLatents, RefuseAnotherRankAndEmptyExtents) {
  const TestFolder folder;
  for (const std::vector<std::int64_t>& shape :
       std::vector<std::vector<std::int64_t>>{{2, 3, 2}, {2, 1, 3, 1, 2}, {12}}) {
    const std::string path = WriteFloats(folder, shape, ChannelsFirst());
    EXPECT_EQ(FileErrorOf([&] { FileLatents({.path = path}, kChannels); }),
              path + ": 'latents': got shape " + ShapeText(shape) +
                  ", allowed: [2, T, h, w] with --axes cthw");
  }
  const std::string path = WriteFloats(folder, {2, 0, 1, 2}, {});
  EXPECT_EQ(FileErrorOf([&] { FileLatents({.path = path}, kChannels); }),
            path + ": 'latents': got shape [2, 0, 1, 2], allowed: [2, T, h, w] with --axes cthw");
}

TEST(FileLatents, RefuseAMissingKeyAndListTheKeys) {
  const TestFolder folder;
  const std::string path = WriteFloats(folder, {2, 3, 1, 2}, ChannelsFirst());
  EXPECT_EQ(FileErrorOf([&] { FileLatents({.path = path, .key = "z"}, kChannels); }),
            path + ": key: got 'z', allowed: 'latents'");
}

TEST(FileLatents, RefuseIntegers) {
  const TestFolder folder;
  const std::string path = folder.Path("latents.safetensors");
  const std::vector<std::int32_t> values(12, 1);
  WriteSafetensors(
      path, {{"latents", {TensorDtype::kI32, {2, 3, 1, 2}, std::as_bytes(std::span(values))}}});
  EXPECT_EQ(FileErrorOf([&] { FileLatents({.path = path}, kChannels); }),
            path + ": 'latents': got dtype I32, allowed: F32, F16, BF16");
}

TEST(FileLatents, RefuseAValueThatIsNotFiniteWhenItIsRead) {
  const TestFolder folder;
  std::vector<float> values = ChannelsFirst();
  values[9] = NAN;  // channel 1, latent 1, column 1
  const FileLatents source({.path = WriteFloats(folder, {2, 3, 1, 2}, values)}, kChannels);
  EXPECT_EQ(ReadLatent(source, 0), (std::vector<float>{0, 1, 1000, 1001}));
  const std::string message = FileErrorOf([&] { ReadLatent(source, 1); });
  EXPECT_NE(message.find("got nan at latent 1"), std::string::npos) << message;
  EXPECT_TRUE(message.starts_with(folder.Path("latents.safetensors"))) << message;
}

TEST(RandomLatentSource, IsNormalisedAndGivesOneForEachIndex) {
  const RandomLatents source(5, {.channels = kChannels, .latents = 3, .height = 1, .width = 2});
  EXPECT_EQ(source.domain(), decoder::LatentDomain::kNormalised);
  EXPECT_EQ(ReadLatent(source, 1), ReadLatent(source, 1));
  EXPECT_NE(ReadLatent(source, 0), ReadLatent(source, 1));
}

}  // namespace
}  // namespace causeway::bench
