// SPDX-License-Identifier: Apache-2.0
// Every compiled form of the portable kernel for one element type, found by its tile. Included by
// one source a type and a compiler, so that they compile in parallel.
#pragma once

#include "causeway/kernels/tile_config.h"
#include "kernels/conv3d/portable/find_kernel.h"
#include "kernels/conv3d/portable/kernel.cuh"
#include "kernels/conv3d/tile_table.h"

namespace causeway::kernels::portable {

/// Null where the tile is not in the table.
template <class Traits>
PortableKernel FindKernel(const TileConfig& config) {
#define CAUSEWAY_FIND_TILE(...)                                        \
  if (config == TileConfig{__VA_ARGS__}) {                             \
    return &portable_conv3d_kernel<Traits, PortableTile<__VA_ARGS__>>; \
  }
  CAUSEWAY_CONV3D_TILES(CAUSEWAY_FIND_TILE)
#undef CAUSEWAY_FIND_TILE
  return nullptr;
}

}  // namespace causeway::kernels::portable
