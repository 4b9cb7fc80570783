// SPDX-License-Identifier: Apache-2.0
#include "kernels/simt/matrix.h"

#include <bit>
#include <cstring>

#include "kernels/simt/convergence.h"
#include "kernels/simt/machine.h"
#include "kernels/simt/numeric.h"
#include "kernels/simt/shared_address.h"

namespace causeway::kernels::simt {
namespace {

struct LoadOperands {
  uint32_t row_address;
  uint32_t* registers;
  int count;
  bool transposed;
};

// Row r of matrix m is at the address that lane 8 m + r gives. Register m of lane l is the pair of
// elements 2 (l % 4), 2 (l % 4) + 1 of row l / 4; transposed, of column l / 4.
bool CompleteLoad(Machine& machine, Warp& warp) {
  const auto operands = [&warp](int lane) -> LoadOperands& {
    return *static_cast<LoadOperands*>(warp.gathering.argument[lane]);
  };
  const int count = operands(0).count;
  const bool transposed = operands(0).transposed;
  const Site& site = warp.gathering.site;
  for (int m = 0; m < count; ++m) {
    uint16_t matrix[8][8];
    for (int row = 0; row < 8; ++row) {
      const int lane = 8 * m + row;
      Thread& thread = warp.lanes[lane];
      const std::byte* source =
          machine.BlockOfAddress(operands(lane).row_address, thread, site)
              .shared.ReadRow(thread, OffsetOf(operands(lane).row_address), "ldmatrix", site);
      std::memcpy(matrix[row], source, sizeof(matrix[row]));
    }
    for (int lane = 0; lane < kWarpLanes; ++lane) {
      const int major = lane / 4;
      const int minor = lane % 4 * 2;
      const uint32_t low = transposed ? matrix[minor][major] : matrix[major][minor];
      const uint32_t high = transposed ? matrix[minor + 1][major] : matrix[major][minor + 1];
      operands(lane).registers[m] = low | high << 16;
    }
  }
  return true;
}

struct MultiplyOperands {
  MmaElement element;
  float* d;
  const uint32_t* a;
  const uint32_t* b;
};

float Decode(MmaElement element, uint16_t bits) {
  return element == MmaElement::kHalf ? ToFloat(Half{bits}) : ToFloat(Bfloat16{bits});
}

// With g = lane / 4 and t = lane % 4, 16-bit elements: register i of A holds row g + 8 (i % 2),
// columns 2 t and 2 t + 1 (+ 8 for i >= 2); register i of B rows 2 t and 2 t + 1 (+ 8 i) of column
// g. tf32: one element a register, columns t (+ 4 for i >= 2) of A and row t + 4 i of B. Element i
// of D is row g + 8 (i / 2), column 2 t + i % 2.
template <MmaElement kElement>
void MultiplyWarp(Warp& warp) {
  constexpr bool kPairs = kElement != MmaElement::kTf32;
  constexpr int kDepth = kPairs ? 16 : 8;
  float a[16][kDepth];
  float b[kDepth][8];
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    const auto& operands = *static_cast<MultiplyOperands*>(warp.gathering.argument[lane]);
    const int g = lane / 4;
    const int t = lane % 4;
    for (int i = 0; i < 4; ++i) {
      float* row = a[g + 8 * (i % 2)];
      if constexpr (kPairs) {
        row[2 * t + 8 * (i / 2)] = Decode(kElement, static_cast<uint16_t>(operands.a[i]));
        row[2 * t + 8 * (i / 2) + 1] = Decode(kElement, static_cast<uint16_t>(operands.a[i] >> 16));
      } else {
        row[t + 4 * (i / 2)] = ToFloat(Tf32{std::bit_cast<float>(operands.a[i])});
      }
    }
    for (int i = 0; i < 2; ++i) {
      if constexpr (kPairs) {
        b[2 * t + 8 * i][g] = Decode(kElement, static_cast<uint16_t>(operands.b[i]));
        b[2 * t + 8 * i + 1][g] = Decode(kElement, static_cast<uint16_t>(operands.b[i] >> 16));
      } else {
        b[t + 4 * i][g] = ToFloat(Tf32{std::bit_cast<float>(operands.b[i])});
      }
    }
  }
  for (int g = 0; g < 8; ++g) {
    for (int half = 0; half < 2; ++half) {
      const float* row = a[g + 8 * half];
      float sums[8] = {};
      for (int k = 0; k < kDepth; ++k) {
        for (int n = 0; n < 8; ++n) sums[n] += row[k] * b[k][n];
      }
      for (int n = 0; n < 8; n += 2) {
        float* d = static_cast<MultiplyOperands*>(warp.gathering.argument[4 * g + n / 2])->d;
        float* pair = half == 0 ? d : d + 2;
        pair[0] += sums[n];
        pair[1] += sums[n + 1];
      }
    }
  }
}

bool CompleteMultiply(Machine& machine, Warp& warp) {
  ++machine.matrix_products;
  switch (static_cast<MultiplyOperands*>(warp.gathering.argument[0])->element) {
    case MmaElement::kHalf:
      MultiplyWarp<MmaElement::kHalf>(warp);
      break;
    case MmaElement::kBfloat16:
      MultiplyWarp<MmaElement::kBfloat16>(warp);
      break;
    case MmaElement::kTf32:
      MultiplyWarp<MmaElement::kTf32>(warp);
      break;
  }
  return true;
}

}  // namespace

void LoadMatrices(uint32_t row_address, uint32_t* registers, int count, bool transposed,
                  const Site& site) {
  LoadOperands operands = {row_address, registers, count, transposed};
  Gather("ldmatrix", Alignment::kAligned, site, &operands, &CompleteLoad);
}

void MultiplyFragments(MmaElement element, float* d, const uint32_t* a, const uint32_t* b,
                       const Site& site) {
  MultiplyOperands operands = {element, d, a, b};
  Gather("mma.sync", Alignment::kAligned, site, &operands, &CompleteMultiply);
}

}  // namespace causeway::kernels::simt
