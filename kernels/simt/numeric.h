// SPDX-License-Identifier: Apache-2.0
// Number formats in plain C++: what the hardware's conversions give, and the operands of matrix
// products as floats. For the host body of the primitives, weight packing and tests.
#pragma once

#include <bit>
#include <cstdint>

#include "kernels/primitives/elements.h"

namespace causeway::kernels {

inline float ToFloat(Half half) {
  // Exponent and mantissa in a float's places make a number 2^112 too small, subnormals included.
  const uint32_t magnitude = static_cast<uint32_t>(half.bits & 0x7fffu) << 13;
  const float scaled = std::bit_cast<float>(magnitude) * 0x1p112f;
  const uint32_t bits = magnitude >= 0x0f800000u ? magnitude | 0x7f800000u  // infinity and NaN
                                                 : std::bit_cast<uint32_t>(scaled);
  return std::bit_cast<float>(bits | static_cast<uint32_t>(half.bits & 0x8000u) << 16);
}

inline float ToFloat(Bfloat16 value) {
  return std::bit_cast<float>(static_cast<uint32_t>(value.bits) << 16);
}

/// What a matrix unit reads: the low 13 bits are ignored.
inline float ToFloat(Tf32 value) {
  return std::bit_cast<float>(std::bit_cast<uint32_t>(value.value) & 0xffffe000u);
}

inline float ToFloat(E4m3 value) {
  const uint32_t exponent = value.bits >> 3 & 15u;
  const uint32_t mantissa = value.bits & 7u;
  const uint32_t sign = static_cast<uint32_t>(value.bits & 0x80u) << 24;
  if ((value.bits & 0x7fu) == 0x7fu) return std::bit_cast<float>(sign | 0x7fc00000u);
  const float magnitude = exponent == 0
                              ? static_cast<float>(mantissa) * 0x1p-9f
                              : std::bit_cast<float>((exponent + 120u) << 23 | mantissa << 20);
  return std::bit_cast<float>(std::bit_cast<uint32_t>(magnitude) | sign);
}

/// To the nearest, ties to even (cvt.rn.f16.f32); too large becomes infinity.
inline Half ToHalf(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = bits >> 16 & 0x8000u;
  const uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return {0x7fff};
  if (magnitude >= 0x477ff000u) return {static_cast<uint16_t>(sign | 0x7c00u)};
  if (magnitude < 0x38800000u) {
    // Below 2^-14: adding 0.5 leaves multiples of 2^-24, a half's subnormal step, rounded.
    const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    return {static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(shifted) - 0x3f000000u))};
  }
  const uint32_t odd = magnitude >> 13 & 1u;
  return {static_cast<uint16_t>(sign | (magnitude - 0x38000000u + 0xfffu + odd) >> 13)};
}

/// To the nearest, ties to even (cvt.rn.bf16.f32).
inline Bfloat16 ToBfloat16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return {0x7fff};
  return {static_cast<uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16)};
}

/// To the nearest, ties away from zero (cvt.rna.tf32.f32).
inline Tf32 ToTf32(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7f800000u) == 0x7f800000u) return {value};
  return {std::bit_cast<float>((bits + 0x1000u) & 0xffffe000u)};
}

/// To the nearest, ties to even, at most 448 (cvt.rn.satfinite.e4m3).
inline E4m3 ToE4m3(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const auto sign = static_cast<uint8_t>(bits >> 24 & 0x80u);
  const uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return {0x7f};
  const float absolute = std::bit_cast<float>(magnitude);
  if (absolute >= 448.0f) return {static_cast<uint8_t>(sign | 0x7e)};
  if (absolute < 0x1p-6f) {
    // Adding 2^14 leaves multiples of 2^-9, the subnormal step, rounded.
    const float shifted = absolute + 0x1p14f;
    return {static_cast<uint8_t>(sign | (std::bit_cast<uint32_t>(shifted) - 0x46800000u))};
  }
  const uint32_t odd = magnitude >> 20 & 1u;
  const uint32_t rounded = (magnitude + 0x7ffffu + odd) >> 20;
  return {static_cast<uint8_t>(sign | (rounded - (120u << 3)))};
}

}  // namespace causeway::kernels
