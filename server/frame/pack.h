// SPDX-License-Identifier: Apache-2.0
// The packers behind PackFrame(): sizes are already checked. Formulas: pixel_format.h.
//
// The loops run over blocks of a row that fit into the first-level cache, with one plain loop per
// step, because that is the form the compiler vectorises.
#pragma once

#include <cstddef>
#include <cstdint>

namespace causeway::frame {

/// Samples in one block.
inline constexpr int kBlock = 256;

/// x in [-1, 1] of `count` samples, at most kBlock; a NaN becomes -1. A step of its own: inside a
/// longer expression the compiler turns the selects into jumps and does not vectorise.
inline void ClampBlock(int count, const float* samples, float* clamped) {
  for (int i = 0; i < count; ++i) {
    const float low = samples[i] > -1.0f ? samples[i] : -1.0f;
    clamped[i] = low < 1.0f ? low : 1.0f;
  }
}

/// The nearest integer, halves up. `value` is in 0..255.
inline std::uint8_t RoundToByte(double value) {
  // lround() is a call for each sample; the sum can only go wrong within 1e-12 of a half.
  // NOLINTNEXTLINE(bugprone-incorrect-roundings)
  return static_cast<std::uint8_t>(static_cast<std::int32_t>(value + 0.5));
}

/// `rgb`: [3, pixels] fp32. `out`: [pixels, 3] u8.
void PackRgb24(std::int64_t pixels, const float* rgb, std::byte* out);

/// `rgb`: [samples] fp32. `out`: [samples] half.
void PackF16(std::int64_t samples, const float* rgb, std::byte* out);

/// `rgb`: [samples] fp32. `out`: [samples] fp32, any alignment.
void PackF32(std::int64_t samples, const float* rgb, std::byte* out);

/// `rgb`: [3, height, width] fp32. `out`: Y, U, V planes.
void PackI420(int height, int width, const float* rgb, std::byte* out);

/// `rgb`: [3, height, width] fp32. `out`: Y plane, then the interleaved UV plane.
void PackNv12(int height, int width, const float* rgb, std::byte* out);

}  // namespace causeway::frame
