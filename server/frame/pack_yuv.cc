// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "server/frame/pack.h"

namespace causeway::frame {
namespace {

// ITU-R BT.709-6, items 3.2 and 3.3.
constexpr double kRed = 0.2126;
constexpr double kGreen = 0.7152;
constexpr double kBlue = 0.0722;
constexpr double kBlueDifference = 1.8556;  // 2 (1 - kBlue)
constexpr double kRedDifference = 1.5748;   // 2 (1 - kRed)

constexpr int kChromaBlock = kBlock / 2;  // two pixels of a row make one chroma sample

using ByteBlock = std::array<std::uint8_t, kBlock>;
using FloatBlock = std::array<float, kBlock>;
using DoubleBlock = std::array<double, kChromaBlock>;

struct Planes {
  const float* red;
  const float* green;
  const float* blue;
};

Planes At(const Planes& planes, std::int64_t offset) {
  return {planes.red + offset, planes.green + offset, planes.blue + offset};
}

double Luma(double red, double green, double blue) {
  return kRed * red + kGreen * green + kBlue * blue;
}

// With y the luma of x, Y' = (y + 1) / 2 and so 16 + 219 Y' = 125.5 + 109.5 y. In this form mid
// grey, the one level that lies on a half, is exact.
void LumaBlock(int count, const Planes& rgb, ByteBlock& bytes) {
  FloatBlock red;
  FloatBlock green;
  FloatBlock blue;
  ClampBlock(count, rgb.red, red.data());
  ClampBlock(count, rgb.green, green.data());
  ClampBlock(count, rgb.blue, blue.data());
  for (int i = 0; i < count; ++i) {
    bytes[i] = RoundToByte(125.5 + 109.5 * Luma(red[i], green[i], blue[i]));
  }
}

// Four times the mean over 2x2 pixels of one plane, for `count` chroma samples of two rows. Exact.
void SumBlock(int count, const float* upper, const float* lower, DoubleBlock& sum) {
  FloatBlock upper_clamped;
  FloatBlock lower_clamped;
  ClampBlock(2 * count, upper, upper_clamped.data());
  ClampBlock(2 * count, lower, lower_clamped.data());
  for (std::int64_t i = 0; i < count; ++i) {
    sum[i] = (static_cast<double>(upper_clamped[2 * i]) + upper_clamped[2 * i + 1]) +
             (static_cast<double>(lower_clamped[2 * i]) + lower_clamped[2 * i + 1]);
  }
}

// 28 for 224: a difference of x is twice that of display values, and the sums are four times the
// means.
void ChromaBlock(int count, const Planes& upper, const Planes& lower, ByteBlock& u, ByteBlock& v) {
  DoubleBlock red;
  DoubleBlock green;
  DoubleBlock blue;
  SumBlock(count, upper.red, lower.red, red);
  SumBlock(count, upper.green, lower.green, green);
  SumBlock(count, upper.blue, lower.blue, blue);
  for (int i = 0; i < count; ++i) {
    const double luma = Luma(red[i], green[i], blue[i]);
    u[i] = RoundToByte(128.0 + (28.0 / kBlueDifference) * (blue[i] - luma));
    v[i] = RoundToByte(128.0 + (28.0 / kRedDifference) * (red[i] - luma));
  }
}

// Chroma sample i goes to u[i * step] and v[i * step].
void PackYuv(int height, int width, const float* rgb, std::uint8_t* y, std::uint8_t* u,
             std::uint8_t* v, int step) {
  const std::int64_t pixels = static_cast<std::int64_t>(height) * width;
  const Planes planes{rgb, rgb + pixels, rgb + 2 * pixels};
  ByteBlock y_block;
  for (std::int64_t start = 0; start < pixels; start += kBlock) {
    const int count = static_cast<int>(std::min<std::int64_t>(kBlock, pixels - start));
    LumaBlock(count, At(planes, start), y_block);
    std::copy_n(y_block.begin(), count, y + start);
  }
  ByteBlock u_block;
  ByteBlock v_block;
  const int chroma_width = width / 2;
  for (int row = 0; row < height / 2; ++row) {
    for (int start = 0; start < chroma_width; start += kChromaBlock) {
      const int count = std::min(kChromaBlock, chroma_width - start);
      const std::int64_t upper = 2 * (static_cast<std::int64_t>(row) * width + start);
      ChromaBlock(count, At(planes, upper), At(planes, upper + width), u_block, v_block);
      const std::int64_t first = static_cast<std::int64_t>(row) * chroma_width + start;
      for (int i = 0; i < count; ++i) {
        u[(first + i) * step] = u_block[i];
        v[(first + i) * step] = v_block[i];
      }
    }
  }
}

}  // namespace

void PackI420(int height, int width, const float* rgb, std::byte* out) {
  const std::int64_t pixels = static_cast<std::int64_t>(height) * width;
  auto* y = reinterpret_cast<std::uint8_t*>(out);
  PackYuv(height, width, rgb, y, y + pixels, y + pixels + pixels / 4, 1);
}

void PackNv12(int height, int width, const float* rgb, std::byte* out) {
  const std::int64_t pixels = static_cast<std::int64_t>(height) * width;
  auto* y = reinterpret_cast<std::uint8_t*>(out);
  PackYuv(height, width, rgb, y, y + pixels, y + pixels + 1, 2);
}

}  // namespace causeway::frame
