// SPDX-License-Identifier: Apache-2.0
// `run` on the demo model, in this process: its frames against those of diffusers, and its report
// against itself.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "server/base/half.h"
#include "server/base/json.h"
#include "server/base/safetensors.h"
#include "server/bench/program.h"
#include "tests/support/test_folder.h"

namespace causeway::bench {
namespace {

using test::TestFolder;

const std::string kDemo = std::string(CAUSEWAY_SOURCE_DIR) + "/deploy/demo/";
const std::string kLatents = kDemo + "corner64.safetensors";  // 3 latents of 8x8: 9 frames
constexpr std::size_t kFrames = 9;
constexpr std::size_t kSide = 64;
constexpr std::size_t kPlane = kSide * kSide;

std::string RunDemo(std::vector<std::string> flags) {
  std::vector<std::string> words{"run", "--model", kDemo + "model", "--threads", "1"};
  words.insert(words.end(), flags.begin(), flags.end());
  std::ostringstream out;
  RunProgram(words, out);
  return out.str();
}

template <typename T>
std::vector<T> Values(const TensorView& view) {
  std::vector<T> values(view.bytes.size() / sizeof(T));
  std::memcpy(values.data(), view.bytes.data(), view.bytes.size());
  return values;
}

std::vector<float> FloatFrames(const std::string& path) {
  const SafetensorsFile file = SafetensorsFile::Open(path);
  return Values<float>(*file.Find("frames"));
}

/// diffusers' frames, [9, 3, 64, 64] (the file has [3, 9, 64, 64]).
std::vector<float> ExpectedFrames() {
  const SafetensorsFile file = SafetensorsFile::Open(kLatents);
  const std::vector<float> stored = Values<float>(*file.Find("frames"));
  std::vector<float> frames(stored.size());
  for (std::size_t channel = 0; channel < 3; ++channel) {
    for (std::size_t frame = 0; frame < kFrames; ++frame) {
      std::copy_n(
          stored.begin() + static_cast<std::ptrdiff_t>((channel * kFrames + frame) * kPlane),
          kPlane, frames.begin() + static_cast<std::ptrdiff_t>((frame * 3 + channel) * kPlane));
    }
  }
  return frames;
}

/// Infinite where one of them holds a NaN or the sizes differ.
float LargestDifference(const std::vector<float>& left, const std::vector<float>& right) {
  if (left.size() != right.size()) return std::numeric_limits<float>::infinity();
  float largest = 0;
  for (std::size_t index = 0; index < left.size(); ++index) {
    const float difference = std::abs(left[index] - right[index]);
    if (std::isnan(difference)) return std::numeric_limits<float>::infinity();
    largest = std::max(largest, difference);
  }
  return largest;
}

// The project's bound for the fp32 decoder against diffusers' fp32 one.
TEST(RunCommand, DecodesTheCornerAsDiffusersDoes) {
  const TestFolder folder;
  const std::string path = folder.Path("frames.safetensors");
  RunDemo({"--latents", kLatents, "--format", "f32", "--out", path});
  const SafetensorsFile file = SafetensorsFile::Open(path);
  const TensorView& frames = *file.Find("frames");
  EXPECT_EQ(frames.dtype, TensorDtype::kF32);
  EXPECT_EQ(frames.shape, (std::vector<std::int64_t>{9, 3, 64, 64}));
  EXPECT_LE(LargestDifference(Values<float>(frames), ExpectedFrames()), 2e-4f);
  EXPECT_EQ(file.metadata().at("format"), "f32");
  EXPECT_EQ(file.metadata().at("geometry"), "64x64");
}

TEST(RunCommand, ChunksDoNotChangeABit) {
  const TestFolder folder;
  std::vector<std::vector<float>> runs;
  for (const std::string chunks : {"1,1,1", "3", "1,2"}) {
    const std::string path = folder.Path("frames.safetensors");
    RunDemo({"--latents", kLatents, "--format", "f32", "--out", path, "--chunks", chunks});
    runs.push_back(FloatFrames(path));
  }
  EXPECT_EQ(runs[0], runs[1]);
  EXPECT_EQ(runs[0], runs[2]);
}

// Half an ulp of a half at 1 (2^-12) beyond the bound above.
TEST(RunCommand, WritesHalves) {
  const TestFolder folder;
  const std::string path = folder.Path("frames.safetensors");
  RunDemo({"--latents", kLatents, "--format", "f16", "--out", path});
  const SafetensorsFile file = SafetensorsFile::Open(path);
  EXPECT_EQ(file.Find("frames")->dtype, TensorDtype::kF16);
  EXPECT_EQ(file.Find("frames")->shape, (std::vector<std::int64_t>{9, 3, 64, 64}));
  std::vector<float> widened;
  for (const std::uint16_t half : Values<std::uint16_t>(*file.Find("frames"))) {
    widened.push_back(HalfToFloat(half));
  }
  EXPECT_LE(LargestDifference(widened, ExpectedFrames()), 2e-4f + 0x1p-12f);
}

// round(255 v) of a value that is 2e-4 off lies within 0.0255 + 0.5 of the exact one.
TEST(RunCommand, WritesPackedPixels) {
  const TestFolder folder;
  const std::string path = folder.Path("frames.safetensors");
  RunDemo({"--latents", kLatents, "--out", path});  // rgb24 is the default
  const SafetensorsFile file = SafetensorsFile::Open(path);
  EXPECT_EQ(file.Find("frames")->dtype, TensorDtype::kU8);
  ASSERT_EQ(file.Find("frames")->shape, (std::vector<std::int64_t>{9, 64, 64, 3}));
  const std::vector<std::uint8_t> pixels = Values<std::uint8_t>(*file.Find("frames"));
  const std::vector<float> expected = ExpectedFrames();
  double largest = 0;
  for (std::size_t frame = 0; frame < kFrames; ++frame) {
    for (std::size_t at = 0; at < kPlane; ++at) {
      for (std::size_t channel = 0; channel < 3; ++channel) {
        const double exact = 127.5 * (expected[(frame * 3 + channel) * kPlane + at] + 1.0);
        const double got = pixels[(frame * kPlane + at) * 3 + channel];
        largest = std::max(largest, std::abs(got - exact));
      }
    }
  }
  EXPECT_LE(largest, 0.5 + 0.0255 + 1e-9);
}

TEST(RunCommand, WritesPlanarYuvWithHalfTheHeightMore) {
  const TestFolder folder;
  for (const std::string format : {"i420", "nv12"}) {
    const std::string path = folder.Path("frames.safetensors");
    RunDemo({"--latents", kLatents, "--format", format, "--out", path});
    const SafetensorsFile file = SafetensorsFile::Open(path);
    EXPECT_EQ(file.Find("frames")->dtype, TensorDtype::kU8);
    EXPECT_EQ(file.Find("frames")->shape, (std::vector<std::int64_t>{9, 96, 64}));
  }
}

TEST(RunCommand, ReportAddsUp) {
  const JsonValue report = ParseJson(RunDemo({"--latents", kLatents, "--chunks", "1,2", "--json"}));
  EXPECT_EQ(*report.Find("geometry")->string(), "64x64");
  EXPECT_EQ(*report.Find("format")->string(), "rgb24");
  EXPECT_EQ(*report.Find("backend")->string(), "reference");
  EXPECT_EQ(report.Find("threads")->integer(), 1);
  EXPECT_EQ(report.Find("frames")->integer(), 9);
  EXPECT_EQ(report.Find("latent_ms")->Find("count")->integer(), 3);
  EXPECT_EQ(report.Find("chunk_ms")->Find("count")->integer(), 2);
  EXPECT_GE(report.Find("peak_resident_bytes")->integer(), report.Find("state_bytes")->integer());

  const double decode_ms = report.Find("decode_ms")->number().value();
  EXPECT_DOUBLE_EQ(report.Find("fps")->number().value(), 9e3 / decode_ms);
  const JsonValue& later = *report.Find("latent_ms")->Find("later");
  const double first_ms = report.Find("latent_ms")->Find("first")->number().value();
  EXPECT_EQ(report.Find("first_frame_ms")->number(), first_ms);
  EXPECT_NEAR(first_ms + later.Find("min")->number().value() + later.Find("max")->number().value(),
              decode_ms, 1e-9 * decode_ms);

  double categories_ms = 0;
  for (const JsonValue& category : *report.Find("categories")->array()) {
    double blocks_ms = 0;
    for (const auto& [name, value] : *category.Find("block_ms")->object()) {
      blocks_ms += value.number().value();
    }
    EXPECT_NEAR(blocks_ms, category.Find("ms")->number().value(), 1e-9 * decode_ms);
    categories_ms += category.Find("ms")->number().value();
  }
  EXPECT_NEAR(report.Find("categories_ms")->number().value(), categories_ms, 1e-9 * decode_ms);
  // The categories are timed within the latents' own timestamps.
  EXPECT_GT(report.Find("timed_share")->number().value(), 0);
  EXPECT_LE(report.Find("timed_share")->number().value(), 1);
}

TEST(RunCommand, OneLatentHasNoLaterOnes) {
  const JsonValue report = ParseJson(RunDemo({"--geometry", "16x24", "--count", "1", "--json"}));
  EXPECT_EQ(report.Find("frames")->integer(), 1);
  EXPECT_EQ(*report.Find("geometry")->string(), "16x24");
  EXPECT_TRUE(report.Find("latent_ms")->Find("later")->is_null());
}

TEST(RunCommand, RandomLatentsRepeatWithTheirSeed) {
  const TestFolder folder;
  const auto frames = [&](const std::string& seed) {
    const std::string path = folder.Path("frames.safetensors");
    RunDemo(
        {"--geometry", "16x16", "--count", "2", "--seed", seed, "--format", "f32", "--out", path});
    return FloatFrames(path);
  };
  EXPECT_EQ(frames("1"), frames("1"));
  EXPECT_NE(frames("1"), frames("2"));
}

TEST(RunCommand, PrintsTablesWithoutJson) {
  const std::string text = RunDemo({"--geometry", "16x16", "--count", "2"});
  for (const std::string part : {" fps\n", "first frame", "peak memory", "later min", "p99",
                                 "convolution_or_gemm", "by the latents' own timestamps"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

}  // namespace
}  // namespace causeway::bench
