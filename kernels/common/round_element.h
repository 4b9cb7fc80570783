// SPDX-License-Identifier: Apache-2.0
// Elements on the host: rounding as the device rounds, and back. The bit patterns are those of
// server/base/half.h, which this folder does not include.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "causeway/kernels/element_type.h"

namespace causeway::kernels {

/// To nearest even, as cvt.rn.f16.f32; NaN stays NaN, overflow gives infinity.
std::uint16_t RoundToFp16(float value);
/// To nearest even, as cvt.rn.bf16.f32.
std::uint16_t RoundToBf16(float value);
/// To nearest with ties away from zero, as cvt.rna.tf32.f32, as an fp32.
float RoundToTf32Host(float value);

/// Writes ElementBytes(type) bytes at `out`, which need not be aligned.
void StoreRounded(ElementType type, float value, std::byte* out);
/// The element at `in`, widened exactly; of tf32, what the tensor cores read.
float LoadElement(ElementType type, const std::byte* in);

}  // namespace causeway::kernels
