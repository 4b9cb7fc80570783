// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "server/base/half.h"
#include "server/frame/pack.h"

namespace causeway::frame {
namespace {

static_assert(std::endian::native == std::endian::little, "f16 and f32 frames are little endian");

using ByteBlock = std::array<std::uint8_t, kBlock>;
using FloatBlock = std::array<float, kBlock>;

// 255 v = 127.5 x + 127.5; the product is exact in fp64.
void QuantizeBlock(int count, const float* samples, ByteBlock& bytes) {
  FloatBlock clamped;
  ClampBlock(count, samples, clamped.data());
  for (int i = 0; i < count; ++i) {
    bytes[i] = RoundToByte(static_cast<double>(clamped[i]) * 127.5 + 127.5);
  }
}

}  // namespace

void PackRgb24(std::int64_t pixels, const float* rgb, std::byte* out) {
  ByteBlock red;
  ByteBlock green;
  ByteBlock blue;
  for (std::int64_t start = 0; start < pixels; start += kBlock) {
    const int count = static_cast<int>(std::min<std::int64_t>(kBlock, pixels - start));
    QuantizeBlock(count, rgb + start, red);
    QuantizeBlock(count, rgb + pixels + start, green);
    QuantizeBlock(count, rgb + 2 * pixels + start, blue);
    std::byte* pixel = out + 3 * start;
    for (int i = 0; i < count; ++i, pixel += 3) {
      pixel[0] = std::byte{red[i]};
      pixel[1] = std::byte{green[i]};
      pixel[2] = std::byte{blue[i]};
    }
  }
}

void PackF16(std::int64_t samples, const float* rgb, std::byte* out) {
  FloatBlock clamped;
  std::array<std::uint16_t, kBlock> block;
  for (std::int64_t start = 0; start < samples; start += kBlock) {
    const int count = static_cast<int>(std::min<std::int64_t>(kBlock, samples - start));
    ClampBlock(count, rgb + start, clamped.data());
    for (int i = 0; i < count; ++i) block[i] = FloatToHalf(clamped[i]);
    std::memcpy(out + 2 * start, block.data(), sizeof(block[0]) * count);
  }
}

void PackF32(std::int64_t samples, const float* rgb, std::byte* out) {
  FloatBlock block;
  for (std::int64_t start = 0; start < samples; start += kBlock) {
    const int count = static_cast<int>(std::min<std::int64_t>(kBlock, samples - start));
    ClampBlock(count, rgb + start, block.data());
    std::memcpy(out + 4 * start, block.data(), sizeof(block[0]) * count);
  }
}

}  // namespace causeway::frame
