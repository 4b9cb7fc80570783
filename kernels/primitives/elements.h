// SPDX-License-Identifier: Apache-2.0
// The element types of kernels, as bits. Plain data in both compilers, so that buffers, packing and
// tests share them; arithmetic happens in float.
#pragma once

#include <cstdint>

namespace causeway::kernels {

struct Half {  // IEEE binary16
  uint16_t bits;
};
struct Bfloat16 {
  uint16_t bits;
};
// 8 exponent and 10 mantissa bits in a float's place; matrix units ignore its low 13 bits.
struct Tf32 {
  float value;
};
struct E4m3 {  // 8-bit float: 4 exponent bits (bias 7), 3 mantissa bits, no infinity, largest 448
  uint8_t bits;
};

// What one 16-, 8- or 4-byte access moves.
struct alignas(16) Words4 {
  uint32_t word[4];
};
struct alignas(8) Words2 {
  uint32_t word[2];
};

}  // namespace causeway::kernels
