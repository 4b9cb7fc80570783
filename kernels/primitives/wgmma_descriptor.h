// SPDX-License-Identifier: Apache-2.0
// Shared-memory matrix descriptors of wgmma (PTX ISA, "Matrix Descriptor Format"). Integer
// arithmetic only: the same on the device and on the host.
//
// K-major operands without swizzle are made of core matrices of 8 rows x 16 bytes, 128 contiguous
// bytes each. Two strides place them:
//   leading byte offset  from a core matrix to its neighbour along K
//   stride byte offset   from a core matrix to the one 8 rows further along M or N
// With the 128-byte swizzle a row of 128 bytes is one unit: row r lies at 128 r, its 16-byte chunk
// c at chunk c ^ (r % 8), the pattern starts at a multiple of 1024 bytes, the stride byte offset
// goes from 8 rows to the next 8, and the leading byte offset is not used.
#pragma once

#include <cstdint>

#include "kernels/primitives/macros.h"

namespace causeway::kernels {

enum class Swizzle : uint32_t { kNone = 0, k128Bytes = 1 };

// `address`, `leading_bytes` and `stride_bytes` are multiples of 16 below 2^18.
CAUSEWAY_HOST_DEVICE uint64_t WgmmaDescriptor(uint32_t address, uint32_t leading_bytes,
                                              uint32_t stride_bytes,
                                              Swizzle swizzle = Swizzle::kNone) {
  const auto encode = [](uint32_t bytes) { return static_cast<uint64_t>((bytes & 0x3ffffu) >> 4); };
  return encode(address) | (encode(leading_bytes) << 16) | (encode(stride_bytes) << 32) |
         (static_cast<uint64_t>(swizzle) << 62);
}

}  // namespace causeway::kernels
