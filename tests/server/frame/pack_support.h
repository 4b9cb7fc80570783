// SPDX-License-Identifier: Apache-2.0
// What the tests of the packers share: frames to pack, and a packing whose output lies between
// canaries.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "server/frame/pixel_format.h"

namespace causeway::frame {

/// A frame of normal values with deviation 0.7: about 15 % of them are clamped.
inline std::vector<float> RandomFrame(int height, int width, std::uint32_t seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> value(0.0f, 0.7f);
  std::vector<float> frame(3 * static_cast<std::size_t>(height) * width);
  for (float& sample : frame) sample = value(generator);
  return frame;
}

/// A frame of one colour.
inline std::vector<float> FlatFrame(int height, int width, float red, float green, float blue) {
  const std::size_t pixels = static_cast<std::size_t>(height) * width;
  std::vector<float> frame(3 * pixels);
  std::fill_n(frame.begin(), pixels, red);
  std::fill_n(frame.begin() + pixels, pixels, green);
  std::fill_n(frame.begin() + 2 * pixels, pixels, blue);
  return frame;
}

/// Packs twice, onto two different backgrounds and at an odd address: every byte of the frame must
/// be written, and none round it.
inline std::vector<std::uint8_t> Pack(PixelFormat format, int height, int width,
                                      const std::vector<float>& rgb) {
  constexpr std::size_t kGuard = 65;
  const auto bytes = static_cast<std::size_t>(FrameBytes(format, height, width));
  std::vector<std::vector<std::uint8_t>> packed;
  for (const std::byte background : {std::byte{0x5a}, std::byte{0xa5}}) {
    std::vector<std::byte> memory(bytes + 2 * kGuard, background);
    PackFrame(format, height, width, rgb, std::span(memory).subspan(kGuard, bytes));
    for (std::size_t i = 0; i < kGuard; ++i) {
      EXPECT_EQ(memory[i], background) << "written before the frame, byte " << i;
      EXPECT_EQ(memory[kGuard + bytes + i], background) << "after the frame, byte " << i;
    }
    std::vector<std::uint8_t>& frame = packed.emplace_back(bytes);
    for (std::size_t i = 0; i < bytes; ++i) {
      frame[i] = std::to_integer<std::uint8_t>(memory[kGuard + i]);
    }
  }
  EXPECT_EQ(packed[0], packed[1]) << "a byte of the frame was not written";
  return packed[0];
}

}  // namespace causeway::frame
