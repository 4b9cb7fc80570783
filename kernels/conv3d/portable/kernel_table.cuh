// SPDX-License-Identifier: Apache-2.0
// Every compiled form of the portable kernel for one element type, found by its tile. Included by
// one source a type and a compiler, so that they compile in parallel.
#pragma once

#include "causeway/kernels/element_type.h"
#include "causeway/kernels/tile_config.h"
#include "kernels/conv3d/portable/kernel.cuh"
#include "kernels/conv3d/tile_table.h"

namespace causeway::kernels::portable {

using PortableKernel = void (*)(Conv3dKernelParams);

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

PortableKernel FindFp16Kernel(const TileConfig& config);
PortableKernel FindBf16Kernel(const TileConfig& config);
PortableKernel FindTf32Kernel(const TileConfig& config);

inline PortableKernel FindPortableKernel(ElementType element, const TileConfig& config) {
  switch (element) {
    case ElementType::kFp16:
      return FindFp16Kernel(config);
    case ElementType::kBf16:
      return FindBf16Kernel(config);
    case ElementType::kTf32:
      return FindTf32Kernel(config);
  }
  return nullptr;
}

}  // namespace causeway::kernels::portable
