// SPDX-License-Identifier: Apache-2.0
#include "client/cli/frame_rgb.h"

#include <cmath>

#include <gtest/gtest.h>

#include "server/base/half.h"

namespace causeway::cli {
namespace {

const PixelLayout& Layout(std::string_view name) {
  for (const PixelLayout& layout : PixelLayouts()) {
    if (layout.name == name) return layout;
  }
  throw std::invalid_argument("no such layout");
}

std::vector<int> Levels(std::span<const std::byte> bytes) {
  std::vector<int> levels;
  levels.reserve(bytes.size());
  for (const std::byte byte : bytes) levels.push_back(std::to_integer<int>(byte));
  return levels;
}

TEST(FrameRgb, HandsRgbOnAsItIs) {
  FrameRgb rgb(Layout("rgb24"), 2, 2);
  const std::vector<std::byte> frame(12, std::byte{7});
  EXPECT_EQ(rgb.Convert(frame).data(), frame.data());
}

// Planes of 1x2 pixels: R, G, B. 255 (x + 1) / 2, halves away from zero.
TEST(FrameRgb, RoundsPlanarFloatsAsTheServerDoes) {
  const std::vector<float> planes{-1.0f, 1.0f, 0.0f, 1.0f / 255, -0.5f, 0.25f};
  const std::vector<int> expected{0, 128, 64, 255, 128, 159};
  FrameRgb from_f32(Layout("f32"), 1, 2);
  EXPECT_EQ(Levels(from_f32.Convert(std::as_bytes(std::span(planes)))), expected);
  std::vector<std::uint16_t> halves;
  halves.reserve(planes.size());
  for (const float value : planes) halves.push_back(FloatToHalf(value));
  FrameRgb from_f16(Layout("f16"), 1, 2);
  EXPECT_EQ(Levels(from_f16.Convert(std::as_bytes(std::span(halves)))), expected);
}

TEST(FrameRgb, ClampsWhatNoServerShouldSend) {
  const std::vector<float> planes{-9.0f, 9.0f, std::nanf(""), INFINITY, -INFINITY, 1.001f};
  FrameRgb rgb(Layout("f32"), 1, 2);
  EXPECT_EQ(Levels(rgb.Convert(std::as_bytes(std::span(planes)))),
            (std::vector<int>{0, 0, 0, 255, 255, 255}));
}

// Red in BT.709 limited range is Y 63, Cb 102, Cr 240 (16 + 219 * 0.2126, and so on); rounding
// moves it back to within 2 levels (the derivation is at VideoWriter.KeepsColoursToWithinRounding).
TEST(FrameRgb, ReadsYuvAsBt709LimitedRange) {
  std::vector<std::byte> i420(16 * 16, std::byte{63});
  i420.insert(i420.end(), 64, std::byte{102});
  i420.insert(i420.end(), 64, std::byte{240});
  std::vector<std::byte> nv12(16 * 16, std::byte{63});
  for (int i = 0; i < 64; ++i) {
    nv12.push_back(std::byte{102});
    nv12.push_back(std::byte{240});
  }
  FrameRgb from_i420(Layout("i420"), 16, 16);
  FrameRgb from_nv12(Layout("nv12"), 16, 16);
  for (const auto& levels : {Levels(from_i420.Convert(i420)), Levels(from_nv12.Convert(nv12))}) {
    ASSERT_EQ(levels.size(), 768u);
    for (std::size_t i = 0; i < levels.size(); ++i) {
      ASSERT_NEAR(levels[i], i % 3 == 0 ? 255 : 0, 2) << i;
    }
  }
}

TEST(FrameRgb, GivesTensorsTheShapeOfTheirFormat) {
  using Shape = std::vector<std::int64_t>;
  EXPECT_EQ(FramesShape(Layout("rgb24"), 5, 16, 32), (Shape{5, 16, 32, 3}));
  EXPECT_EQ(FramesShape(Layout("i420"), 5, 16, 32), (Shape{5, 24, 32}));
  EXPECT_EQ(FramesShape(Layout("nv12"), 5, 16, 32), (Shape{5, 24, 32}));
  EXPECT_EQ(FramesShape(Layout("f16"), 5, 16, 32), (Shape{5, 3, 16, 32}));
  EXPECT_EQ(FramesShape(Layout("f32"), 5, 16, 32), (Shape{5, 3, 16, 32}));
}

}  // namespace
}  // namespace causeway::cli
