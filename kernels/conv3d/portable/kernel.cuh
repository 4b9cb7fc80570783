// SPDX-License-Identifier: Apache-2.0
// Causal 3x3x3 convolution for sm_80 and later as a halo-patch-resident implicit GEMM.
//
// A block computes tile_height x tile_width pixels of one frame, all output channels. For every
// time tap and every chunk of input channels it copies the tile's pixels with a border of one, the
// patch, to shared memory once; the nine space taps are nine shifted views of that patch. An
// im2col kernel would copy each pixel nine times.
//
//   grid     frames x tiles, tiles of a frame innermost
//   warps    warps_m x warps_n; a warp owns mma_m blocks of 2 x 8 pixels and mma_n blocks of 8
//            output channels, accumulated in registers
//   shared   patch[2], [unit][tile_height + 2][tile_width + 2][16 bytes]; then
//            weights[weight_stages], [unit][channels][16 bytes]
//   order    of a sum: time tap, chunk, space tap, channel: the same for every frame
//
// Both operands are read by ldmatrix in rows of 16 bytes, and eight neighbouring rows are 128
// contiguous bytes: no bank conflicts, and no swizzle that would tie a tap's shift to a phase.
#pragma once

#include "causeway/kernels/frame_list.h"
#include "kernels/conv3d/portable/element_traits.cuh"
#include "kernels/conv3d/portable/epilogue.cuh"
#include "kernels/conv3d/portable/mainloop.cuh"
#include "kernels/primitives/primitives.h"

namespace causeway::kernels::portable {

CAUSEWAY_DEVICE FrameEntry LoadFrameEntry(const FrameEntry* source) {
  static_assert(sizeof(FrameEntry) == 6 * sizeof(std::int32_t), "six page indices, no padding");
  FrameEntry entry;
  const auto* words = reinterpret_cast<const std::int32_t*>(source);
  CAUSEWAY_UNROLL
  for (int time = 0; time < 3; ++time) entry.inputs[time] = LoadGlobal<std::int32_t>(words + time);
  entry.residual = LoadGlobal<std::int32_t>(words + 3);
  entry.raw = LoadGlobal<std::int32_t>(words + 4);
  entry.output = LoadGlobal<std::int32_t>(words + 5);
  return entry;
}

template <class Traits, class Tile>
CAUSEWAY_KERNEL void CAUSEWAY_LAUNCH_BOUNDS(Tile::kThreads, 1)
    portable_conv3d_kernel(const CAUSEWAY_GRID_CONSTANT Conv3dKernelParams params) {
  const int tiles = params.tiles_x * params.tiles_y;
  const int frame = static_cast<int>(BlockIndex()) / tiles;
  const int tile = static_cast<int>(BlockIndex()) % tiles;
  const TilePosition position{tile / params.tiles_x * Tile::kHeight,
                              tile % params.tiles_x * Tile::kWidth};
  const FrameEntry entry = LoadFrameEntry(params.frames + frame);

  float accumulators[Tile::kMmaM][Tile::kMmaN][4];
  Mainloop<Traits, Tile>::Run(params, entry, position, accumulators);
  Epilogue<Traits, Tile>::Run(params, entry, position, accumulators);
}

}  // namespace causeway::kernels::portable
