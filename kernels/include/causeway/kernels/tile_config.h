// SPDX-License-Identifier: Apache-2.0
// The shape of one compiled form of a convolution kernel. Read by host and device, so C++17.
#pragma once

#include <cstdint>

namespace causeway::kernels {

/// One compiled form of the kernel. Pixels of a block: tile_height x tile_width = warps_m * mma_m *
/// 16; channels: warps_n * mma_n * 8, at least the problem's out_channels.
struct TileConfig {
  int tile_height = 0;
  int tile_width = 0;
  int warps_m = 0;        // warps along the pixels
  int warps_n = 0;        // warps along the output channels
  int mma_m = 0;          // 16-pixel products a warp
  int mma_n = 0;          // 8-channel products a warp, even
  int chunk_units = 0;    // input channels of a patch, in units, even
  int weight_stages = 0;  // slices of weights in shared memory, 3 to 6

  constexpr int threads() const { return 32 * warps_m * warps_n; }
  constexpr int pixels() const { return tile_height * tile_width; }
  constexpr int channels() const { return 8 * warps_n * mma_n; }
  constexpr std::int64_t patch_bytes() const {
    return std::int64_t{16} * chunk_units * (tile_height + 2) * (tile_width + 2);
  }
  constexpr std::int64_t weight_slice_bytes() const {
    return std::int64_t{16} * chunk_units * channels();
  }
  /// Two patches, the ring of weight slices.
  constexpr std::int64_t shared_bytes() const {
    return 2 * patch_bytes() + weight_stages * weight_slice_bytes();
  }
};

constexpr bool operator==(const TileConfig& a, const TileConfig& b) {
  return a.tile_height == b.tile_height && a.tile_width == b.tile_width && a.warps_m == b.warps_m &&
         a.warps_n == b.warps_n && a.mma_m == b.mma_m && a.mma_n == b.mma_n &&
         a.chunk_units == b.chunk_units && a.weight_stages == b.weight_stages;
}

}  // namespace causeway::kernels
