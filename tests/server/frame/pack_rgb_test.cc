// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "tests/server/frame/pack_support.h"

namespace causeway::frame {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// The definition of kRgb24 in fp64, from v.
int ExpectedByte(float sample) {
  const double x = std::isnan(sample) ? -1.0 : std::fmin(std::fmax(sample, -1.0), 1.0);
  return static_cast<int>(std::floor(255.0 * ((x + 1.0) / 2.0) + 0.5));
}

// The bytes that single values give, through a frame that holds them all in each plane.
std::vector<int> BytesOf(std::vector<float> samples) {
  const std::size_t count = samples.size();
  const std::size_t pixels = (count + 3) / 4 * 4;
  samples.resize(pixels, 0.0f);
  std::vector<float> frame;
  for (int plane = 0; plane < 3; ++plane) {
    frame.insert(frame.end(), samples.begin(), samples.end());
  }
  const auto packed = Pack(PixelFormat::kRgb24, 2, static_cast<int>(pixels / 2), frame);
  std::vector<int> bytes(count);
  for (std::size_t i = 0; i < count; ++i) {
    bytes[i] = packed[3 * i];
    EXPECT_EQ(packed[3 * i + 1], packed[3 * i]) << i;
    EXPECT_EQ(packed[3 * i + 2], packed[3 * i]) << i;
  }
  return bytes;
}

TEST(PackRgb24, RandomFramesEqualTheDefinition) {
  // Widths below, at and across a block of 256 samples, whole frames within one block.
  for (const auto& [height, width] :
       {std::pair{2, 2}, {4, 6}, {2, 128}, {2, 130}, {6, 254}, {4, 1026}, {64, 80}}) {
    const auto rgb = RandomFrame(height, width, 1000u + width);
    const auto packed = Pack(PixelFormat::kRgb24, height, width, rgb);
    const std::size_t pixels = static_cast<std::size_t>(height) * width;
    for (std::size_t i = 0; i < pixels; ++i) {
      for (std::size_t plane = 0; plane < 3; ++plane) {
        ASSERT_EQ(packed[3 * i + plane], ExpectedByte(rgb[plane * pixels + i]))
            << height << "x" << width << ", pixel " << i << ", plane " << plane;
      }
    }
  }
}

TEST(PackRgb24, EveryByteSurvivesTheWayThereAndBack) {
  std::vector<float> samples(256);
  for (int level = 0; level < 256; ++level) {
    samples[level] = static_cast<float>(level / 127.5 - 1.0);
  }
  const auto bytes = BytesOf(samples);
  for (int level = 0; level < 256; ++level) EXPECT_EQ(bytes[level], level);
}

// 127.5 x + 127.5 = level - 0.5 at x = (level - 128) / 127.5. On each side of it lies an fp32;
// which side, the exact products of those two with 127.5 say.
TEST(PackRgb24, RoundsRightNextToEveryBoundary) {
  std::vector<float> samples;
  std::vector<int> expected;
  for (int level = 1; level < 256; ++level) {
    if (level == 128) continue;
    const double boundary = (level - 128) / 127.5;
    float sample = std::nextafter(static_cast<float>(boundary), -2.0f);
    for (int step = 0; step < 3; ++step, sample = std::nextafter(sample, 2.0f)) {
      const bool is_below = static_cast<double>(sample) * 127.5 < level - 128;
      samples.push_back(sample);
      expected.push_back(is_below ? level - 1 : level);
    }
  }
  const auto bytes = BytesOf(samples);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    EXPECT_EQ(bytes[i], expected[i]) << samples[i];
  }
}

TEST(PackRgb24, MidGreyLiesOnAHalfAndRoundsUp) {
  EXPECT_EQ(BytesOf({0.0f, -0.0f, 1e-7f, -1e-7f}), (std::vector<int>{128, 128, 128, 127}));
}

TEST(PackRgb24, ClampsAndMakesNanBlack) {
  EXPECT_EQ(
      BytesOf({-1.0f, 1.0f, -1.0001f, 1.0001f, -1e30f, 1e30f, -kInfinity, kInfinity, kNan, -kNan}),
      (std::vector<int>{0, 255, 0, 255, 0, 255, 0, 255, 0, 0}));
}

TEST(PackRgb24, PlanesBecomeRedGreenBlue) {
  const auto packed = Pack(PixelFormat::kRgb24, 2, 2, FlatFrame(2, 2, -1.0f, 0.0f, 1.0f));
  for (int pixel = 0; pixel < 4; ++pixel) {
    EXPECT_EQ(packed[3 * pixel], 0);
    EXPECT_EQ(packed[3 * pixel + 1], 128);
    EXPECT_EQ(packed[3 * pixel + 2], 255);
  }
}

// A half from the definition: the nearest multiple of the unit in the last place of a value in
// [-1, 1], ties to even (the default rounding mode of nearbyint).
double NearestHalf(double x) {
  if (x == 0.0) return x;
  int exponent = 0;
  std::frexp(x, &exponent);  // |x| in [2^(exponent - 1), 2^exponent)
  const double unit = std::ldexp(1.0, std::max(exponent - 1, -14) - 10);
  return std::nearbyint(x / unit) * unit;
}

double HalfValue(std::uint8_t low, std::uint8_t high) {
  const int bits = low | high << 8;
  const int exponent = (bits >> 10) & 31;
  const int mantissa = bits & 1023;
  const double magnitude =
      exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(mantissa + 1024, exponent - 25);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

TEST(PackF16, RandomFramesEqualTheDefinition) {
  for (const auto& [height, width] : {std::pair{2, 2}, {2, 130}, {6, 254}, {64, 80}}) {
    auto rgb = RandomFrame(height, width, 2000u + width);
    rgb[0] = 1e-6f;   // a subnormal half
    rgb[1] = -2e-8f;  // below half the smallest one
    rgb[2] = kNan;
    rgb[3] = 1.0f + 0x1p-11f;
    const auto packed = Pack(PixelFormat::kRgbF16, height, width, rgb);
    for (std::size_t i = 0; i < rgb.size(); ++i) {
      const double x = std::isnan(rgb[i]) ? -1.0 : std::fmin(std::fmax(rgb[i], -1.0), 1.0);
      const double got = HalfValue(packed[2 * i], packed[2 * i + 1]);
      ASSERT_EQ(got, NearestHalf(x)) << height << "x" << width << ", sample " << i;
    }
  }
}

TEST(PackF32, KeepsBitsWithinTheRangeAndClampsTheRest) {
  for (const auto& [height, width] : {std::pair{2, 2}, {2, 130}, {6, 254}, {64, 80}}) {
    auto rgb = RandomFrame(height, width, 3000u + width);
    rgb[0] = kNan;
    rgb[1] = kInfinity;
    rgb[2] = -kInfinity;
    rgb[3] = -0.0f;
    const auto packed = Pack(PixelFormat::kRgbF32, height, width, rgb);
    for (std::size_t i = 0; i < rgb.size(); ++i) {
      const float expected = std::isnan(rgb[i]) ? -1.0f : std::fmin(std::fmax(rgb[i], -1.0f), 1.0f);
      float got = 0;
      std::memcpy(&got, packed.data() + 4 * i, sizeof(got));
      ASSERT_EQ(std::bit_cast<std::uint32_t>(got), std::bit_cast<std::uint32_t>(expected)) << i;
    }
  }
}

}  // namespace
}  // namespace causeway::frame
