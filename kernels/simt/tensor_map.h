// SPDX-License-Identifier: Apache-2.0
// The host's stand-in for CUtensorMap: a tiled tensor in global memory of which TMA loads boxes.
// Parts of a box outside of the tensor come as zeros.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "kernels/primitives/wgmma_descriptor.h"

namespace causeway::kernels {

/// Dimension 0 is the innermost, its elements contiguous.
struct TensorMap {
  const std::byte* base = nullptr;  // 16-byte aligned
  int rank = 0;                     // 1 to 5
  int element_bytes = 0;            // 1, 2, 4 or 8
  int64_t extent[5] = {};           // elements
  int64_t stride_bytes[5] = {};     // of one step in each dimension; [0] is element_bytes
  int box[5] = {};                  // elements loaded in each dimension
  Swizzle swizzle = Swizzle::kNone;

  int64_t BoxBytes() const;
};

namespace simt {

/// Checks what cuTensorMapEncodeTiled checks: rank, element size, base and strides multiples of 16,
/// boxes of 1 to 256 elements, an inner box of a multiple of 16 bytes. With the 128-byte swizzle
/// the inner box has 128 bytes. Throws std::invalid_argument that names the field. `strides` are
/// bytes, of dimensions 1 and up.
TensorMap MakeTensorMap(const void* base, int element_bytes, const std::vector<int64_t>& extent,
                        const std::vector<int64_t>& strides, const std::vector<int>& box,
                        Swizzle swizzle = Swizzle::kNone);

/// Calls run(destination offset in the box, source or null for zeros, bytes) for every run of
/// elements of the box at `coordinates` that are all inside or all outside; the runs cover the box
/// in order.
void ForEachRun(const TensorMap& map, const int (&coordinates)[5],
                const std::function<void(int64_t, const std::byte*, int64_t)>& run);

}  // namespace simt
}  // namespace causeway::kernels
