// SPDX-License-Identifier: Apache-2.0
// Where the operands of a wgmma lie in shared memory, and what they hold.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/simt/thread_context.h"
#include "kernels/simt/wgmma.h"

namespace causeway::kernels::simt {

class SharedMemory;

/// A descriptor, taken apart (layouts: kernels/primitives/wgmma_descriptor.h).
struct WgmmaOperandLayout {
  int64_t start;    // offset in shared memory
  int64_t leading;  // bytes
  int64_t stride;   // bytes
  bool swizzled;    // 128-byte pattern

  /// The 16 bytes of `row` (of M or N) at half `half` of the 32 bytes of K.
  int64_t UnitOffset(int row, int half) const;
};

/// Reports a descriptor that is not allowed or not modelled.
WgmmaOperandLayout ParseDescriptor(uint64_t descriptor, const Site& site);

/// Calls visit(offset, bytes) for the parts of shared memory that rows first .. first + rows - 1
/// occupy; both are multiples of 8.
template <typename Visitor>
void ForEachPart(const WgmmaOperandLayout& layout, int first, int rows, const Visitor& visit) {
  for (int row = first; row < first + rows; row += 8) {
    for (int half = 0; half < 2; ++half) {
      if (!layout.swizzled) {
        visit(layout.UnitOffset(row, half), int64_t{128});
        continue;
      }
      for (int i = 0; i < 8; ++i) visit(layout.UnitOffset(row + i, half), int64_t{16});
    }
  }
}

/// Elements along K: 16, 8 or 32.
int WgmmaDepth(WgmmaElement element);

/// Decodes rows first .. first + rows - 1 to floats: to[row * row_step + k * k_step].
void DecodeRows(WgmmaElement element, const WgmmaOperandLayout& layout, const SharedMemory& shared,
                int first, int rows, float* to, int row_step, int k_step);

}  // namespace causeway::kernels::simt
