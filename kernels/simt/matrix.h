// SPDX-License-Identifier: Apache-2.0
// ldmatrix and mma.sync. Fragment layouts are those of the PTX ISA, "Warp Level Matrix
// Instructions".
#pragma once

#include <cstdint>

#include "kernels/simt/thread_context.h"

namespace causeway::kernels::simt {

/// ldmatrix.m8n8.xN: this lane's row address, and its `count` (1, 2, 4) result registers.
void LoadMatrices(uint32_t row_address, uint32_t* registers, int count, bool transposed,
                  const Site& site);

enum class MmaElement { kHalf, kBfloat16, kTf32 };

/// m16n8k16 (m16n8k8 for tf32): D += A B, with this lane's registers.
void MultiplyFragments(MmaElement element, float* d, const uint32_t* a, const uint32_t* b,
                       const Site& site);

}  // namespace causeway::kernels::simt
