// SPDX-License-Identifier: Apache-2.0
// The compiled kernels as addresses, for host code that no CUDA compiler sees.
#pragma once

#include "causeway/kernels/element_type.h"
#include "causeway/kernels/tile_config.h"
#include "kernels/conv3d/portable/params.h"

namespace causeway::kernels::portable {

using PortableKernel = void (*)(Conv3dKernelParams);

/// Null where the tile is not in the table.
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
