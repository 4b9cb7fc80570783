// SPDX-License-Identifier: Apache-2.0
#include "kernels/simt/wgmma_operands.h"

#include <cstring>
#include <string>

#include "kernels/simt/machine.h"
#include "kernels/simt/numeric.h"
#include "kernels/simt/shared_address.h"

namespace causeway::kernels::simt {
namespace {

constexpr uint64_t kFieldMask = 0x3fff;  // 14 bits, of 16-byte steps
constexpr uint64_t kReserved = (uint64_t{3} << 14) | (uint64_t{3} << 30) | (uint64_t{0xffff} << 46);

template <typename Element>
void Decode(const WgmmaOperandLayout& layout, const SharedMemory& shared, int first, int rows,
            float* to, ptrdiff_t row_step, ptrdiff_t k_step) {
  constexpr int kUnit = 16 / static_cast<int>(sizeof(Element));
  for (int row = 0; row < rows; ++row) {
    for (int half = 0; half < 2; ++half) {
      Element unit[kUnit];
      std::memcpy(unit, shared.data() + layout.UnitOffset(first + row, half), sizeof(unit));
      float* out = to + row * row_step + ptrdiff_t{kUnit} * half * k_step;
      for (int k = 0; k < kUnit; ++k) out[k * k_step] = ToFloat(unit[k]);
    }
  }
}

}  // namespace

int64_t WgmmaOperandLayout::UnitOffset(int row, int half) const {
  const int64_t in_group = row % 8;
  const int64_t group = start + row / 8 * stride;
  if (!swizzled) return group + half * leading + in_group * 16;
  const int64_t address = kSharedBase + group + in_group * 128 + int64_t{half} * 16;
  return (address ^ ((address >> 3) & 0x70)) - kSharedBase;
}

WgmmaOperandLayout ParseDescriptor(uint64_t descriptor, const Site& site) {
  const uint64_t mode = descriptor >> 62;
  if ((descriptor & kReserved) != 0 || mode > 1) {
    current_machine->FailAt(FailureKind::kInvalidOperand, site,
                            "wgmma descriptor " + std::to_string(descriptor) +
                                ": base offset or swizzle mode other than none and 128 bytes");
  }
  const auto field = [descriptor](int shift) {
    return static_cast<int64_t>((descriptor >> shift & kFieldMask) << 4);
  };
  return {field(0) - kSharedBase, field(16), field(32), mode == 1};
}

int WgmmaDepth(WgmmaElement element) {
  switch (element) {
    case WgmmaElement::kHalf:
    case WgmmaElement::kBfloat16:
      return 16;
    case WgmmaElement::kTf32:
      return 8;
    case WgmmaElement::kE4m3:
      return 32;
  }
  return 0;
}

void DecodeRows(WgmmaElement element, const WgmmaOperandLayout& layout, const SharedMemory& shared,
                int first, int rows, float* to, int row_step, int k_step) {
  switch (element) {
    case WgmmaElement::kHalf:
      return Decode<Half>(layout, shared, first, rows, to, row_step, k_step);
    case WgmmaElement::kBfloat16:
      return Decode<Bfloat16>(layout, shared, first, rows, to, row_step, k_step);
    case WgmmaElement::kTf32:
      return Decode<Tf32>(layout, shared, first, rows, to, row_step, k_step);
    case WgmmaElement::kE4m3:
      return Decode<E4m3>(layout, shared, first, rows, to, row_step, k_step);
  }
}

}  // namespace causeway::kernels::simt
