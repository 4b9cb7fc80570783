// SPDX-License-Identifier: Apache-2.0
// The few forms of the portable kernel that mutant_probe.cc runs, compiled from the shipped source:
// once as it is, and once for every planted bug, with the changed copy first on the include path.
// One of each kind: several chunks in the shortest ring, the widest chunk, pixels whose channels
// are spread over two and over four warps, a tile that is not square.
#include "kernels/conv3d/portable/kernel_table.cuh"

namespace causeway::kernels::portable {
namespace {

template <class Traits>
PortableKernel SmallTile(const TileConfig& config) {
  const bool is_same = config == TileConfig{16, 16, 8, 1, 2, 2, 2, 4};
  return is_same ? &portable_conv3d_kernel<Traits, PortableTile<16, 16, 8, 1, 2, 2, 2, 4>>
                 : nullptr;
}

}  // namespace

PortableKernel FindFp16Kernel(const TileConfig& config) {
  if (config == TileConfig{16, 16, 8, 1, 2, 12, 8, 4}) {
    return &portable_conv3d_kernel<Fp16Traits, PortableTile<16, 16, 8, 1, 2, 12, 8, 4>>;
  }
  if (config == TileConfig{8, 16, 4, 2, 2, 12, 4, 4}) {
    return &portable_conv3d_kernel<Fp16Traits, PortableTile<8, 16, 4, 2, 2, 12, 4, 4>>;
  }
  if (config == TileConfig{8, 8, 2, 4, 2, 12, 4, 3}) {
    return &portable_conv3d_kernel<Fp16Traits, PortableTile<8, 8, 2, 4, 2, 12, 4, 3>>;
  }
  return SmallTile<Fp16Traits>(config);
}

PortableKernel FindBf16Kernel(const TileConfig& config) { return SmallTile<Bf16Traits>(config); }

PortableKernel FindTf32Kernel(const TileConfig& config) { return SmallTile<Tf32Traits>(config); }

}  // namespace causeway::kernels::portable
