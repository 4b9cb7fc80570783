// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "tests/server/frame/pack_support.h"

namespace causeway::frame {
namespace {

struct Yuv {
  int y;
  int u;
  int v;
  bool operator==(const Yuv&) const = default;
};

std::ostream& operator<<(std::ostream& stream, const Yuv& yuv) {
  return stream << yuv.y << "," << yuv.u << "," << yuv.v;
}

double Display(float sample) {
  const double x = std::isnan(sample) ? -1.0 : std::fmin(std::fmax(sample, -1.0), 1.0);
  return (x + 1.0) / 2.0;
}

int Round(double value) { return static_cast<int>(std::floor(value + 0.5)); }

// The definition, from display values.
Yuv Expected(double red, double green, double blue) {
  const double luma = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  return {Round(16 + 219 * luma), Round(128 + 224 * (blue - luma) / 1.8556),
          Round(128 + 224 * (red - luma) / 1.5748)};
}

std::vector<std::uint8_t> ExpectedI420(int height, int width, const std::vector<float>& rgb) {
  const std::size_t pixels = static_cast<std::size_t>(height) * width;
  std::vector<std::uint8_t> frame;
  for (std::size_t i = 0; i < pixels; ++i) {
    const Yuv yuv =
        Expected(Display(rgb[i]), Display(rgb[pixels + i]), Display(rgb[2 * pixels + i]));
    frame.push_back(static_cast<std::uint8_t>(yuv.y));
  }
  for (const bool is_v : {false, true}) {
    for (int row = 0; row < height; row += 2) {
      for (int column = 0; column < width; column += 2) {
        std::array<double, 3> mean{};
        for (int i = 0; i < 4; ++i) {
          const std::size_t at = static_cast<std::size_t>(row + i / 2) * width + column + i % 2;
          for (std::size_t plane = 0; plane < 3; ++plane) {
            mean[plane] += Display(rgb[plane * pixels + at]) / 4;
          }
        }
        const Yuv yuv = Expected(mean[0], mean[1], mean[2]);
        frame.push_back(static_cast<std::uint8_t>(is_v ? yuv.v : yuv.u));
      }
    }
  }
  return frame;
}

// The one value of each plane of a frame of one colour.
Yuv Colour(float red, float green, float blue) {
  const auto frame = Pack(PixelFormat::kI420, 2, 2, FlatFrame(2, 2, red, green, blue));
  for (int i = 1; i < 4; ++i) EXPECT_EQ(frame[i], frame[0]);
  return {frame[0], frame[4], frame[5]};
}

TEST(PackI420, KnownColoursOfBt709) {
  EXPECT_EQ(Colour(1, 1, 1), (Yuv{235, 128, 128}));
  EXPECT_EQ(Colour(-1, -1, -1), (Yuv{16, 128, 128}));
  EXPECT_EQ(Colour(1, -1, -1), (Yuv{63, 102, 240}));
  EXPECT_EQ(Colour(-1, 1, -1), (Yuv{173, 42, 26}));
  EXPECT_EQ(Colour(-1, -1, 1), (Yuv{32, 240, 118}));
  EXPECT_EQ(Colour(1, 1, -1), (Yuv{219, 16, 138}));
  EXPECT_EQ(Colour(-1, 1, 1), (Yuv{188, 154, 16}));
  EXPECT_EQ(Colour(1, -1, 1), (Yuv{78, 214, 230}));
}

TEST(PackI420, MidGreyLiesOnAHalfAndRoundsUp) {
  EXPECT_EQ(Colour(0, 0, 0), (Yuv{126, 128, 128}));
  EXPECT_EQ(Colour(-1e-6f, -1e-6f, -1e-6f).y, 125);
}

TEST(PackI420, EveryGreyHasNeutralChroma) {
  for (int level = 0; level < 256; ++level) {
    const auto x = static_cast<float>(level / 127.5 - 1.0);
    const Yuv yuv = Colour(x, x, x);
    ASSERT_EQ(yuv, (Yuv{Round(16 + 219 * level / 255.0), 128, 128})) << level;
  }
}

TEST(PackI420, ClampsAndMakesNanBlack) {
  const float infinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(Colour(9, 9, 1e30f), Colour(1, 1, 1));
  EXPECT_EQ(Colour(-infinity, -9, -1.5f), Colour(-1, -1, -1));
  EXPECT_EQ(Colour(infinity, nan, -infinity), Colour(1, -1, -1));
}

TEST(PackI420, ClampsBeforeItTakesTheMean) {
  auto frame = FlatFrame(2, 2, -1, -1, -1);
  for (std::size_t plane = 0; plane < 3; ++plane) frame[4 * plane] = plane == 0 ? 5.0f : -5.0f;
  const auto packed = Pack(PixelFormat::kI420, 2, 2, frame);
  const Yuv expected = Expected(0.25, 0, 0);
  EXPECT_EQ(packed[4], expected.u);
  EXPECT_EQ(packed[5], expected.v);
}

TEST(PackI420, EveryPointOfACoarseColourCubeEqualsTheDefinition) {
  constexpr int kSteps = 18;  // levels 0, 15, ..., 255
  for (int red = 0; red < kSteps; ++red) {
    for (int green = 0; green < kSteps; ++green) {
      for (int blue = 0; blue < kSteps; ++blue) {
        const auto x = [](int step) { return static_cast<float>(15 * step / 127.5 - 1.0); };
        const auto frame =
            Pack(PixelFormat::kI420, 2, 2, FlatFrame(2, 2, x(red), x(green), x(blue)));
        const Yuv expected = Expected(Display(x(red)), Display(x(green)), Display(x(blue)));
        ASSERT_EQ((Yuv{frame[0], frame[4], frame[5]}), expected)
            << 15 * red << "," << 15 * green << "," << 15 * blue;
      }
    }
  }
}

TEST(PackI420, RandomFramesEqualTheDefinition) {
  // Chroma widths below, at and across a block of 128 samples.
  for (const auto& [height, width] :
       {std::pair{2, 2}, {4, 6}, {2, 256}, {6, 258}, {4, 1030}, {64, 80}}) {
    const auto rgb = RandomFrame(height, width, 4000u + width);
    EXPECT_EQ(Pack(PixelFormat::kI420, height, width, rgb), ExpectedI420(height, width, rgb))
        << height << "x" << width;
  }
}

TEST(PackNv12, EqualsI420WithInterleavedChroma) {
  for (const auto& [height, width] : {std::pair{2, 2}, {4, 6}, {6, 258}, {4, 1030}}) {
    const auto rgb = RandomFrame(height, width, 5000u + width);
    const auto i420 = Pack(PixelFormat::kI420, height, width, rgb);
    const std::size_t pixels = static_cast<std::size_t>(height) * width;
    std::vector<std::uint8_t> expected(i420.begin(), i420.begin() + pixels);
    for (std::size_t i = 0; i < pixels / 4; ++i) {
      expected.push_back(i420[pixels + i]);
      expected.push_back(i420[pixels + pixels / 4 + i]);
    }
    EXPECT_EQ(Pack(PixelFormat::kNv12, height, width, rgb), expected) << height << "x" << width;
  }
}

}  // namespace
}  // namespace causeway::frame
