// SPDX-License-Identifier: Apache-2.0
// The two 16-bit floating-point types, as bit patterns: half (IEEE 754 binary16: 1 sign, 5
// exponent, 10 mantissa bits) and bfloat16 (the upper half of an fp32: 1, 8 and 7 bits).
//
// Widening is exact. Narrowing rounds to nearest, ties to even; what lies beyond the largest finite
// value after rounding becomes infinity; subnormals are rounded, not flushed. A NaN stays a NaN.
// There is no branch in any of them, so that a loop over one vectorises.
// Narrowing to half assumes the default rounding mode of the processor.
#pragma once

#include <bit>
#include <cstdint>

namespace causeway {

namespace half_internal {

// `on_true` or `on_false` by a mask. A conditional expression would do, but the compiler moves the
// floating-point operation of the subnormals behind it as a branch, and then the loop round the
// conversion does not vectorise.
inline std::uint32_t SelectBits(bool condition, std::uint32_t on_true, std::uint32_t on_false) {
  const std::uint32_t mask = 0u - static_cast<std::uint32_t>(condition);
  return (on_true & mask) | (on_false & ~mask);
}

}  // namespace half_internal

inline float HalfToFloat(std::uint16_t half) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000u) << 16;
  const std::uint32_t magnitude = half & 0x7fffu;
  constexpr std::uint32_t kBiasDifference = (127u - 15u) << 23;
  const std::uint32_t normal = (magnitude << 13) + kBiasDifference;
  const std::uint32_t inf_or_nan = normal + kBiasDifference;
  // A subnormal half is a small multiple of 2^-24, which is a normal fp32.
  const std::uint32_t subnormal = std::bit_cast<std::uint32_t>(
      static_cast<float>(static_cast<std::int32_t>(magnitude)) * 0x1p-24f);
  const std::uint32_t finite = half_internal::SelectBits(magnitude < 0x0400u, subnormal, normal);
  return std::bit_cast<float>(sign |
                              half_internal::SelectBits(magnitude >= 0x7c00u, inf_or_nan, finite));
}

inline float Bfloat16ToFloat(std::uint16_t bfloat16) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bfloat16) << 16);
}

inline std::uint16_t FloatToHalf(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000u;
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  // Adding half a unit of the last kept place, less one where that place is even, rounds to even;
  // the carry runs into the exponent and, past the largest half, to infinity.
  constexpr std::uint32_t kBiasDifference = (127u - 15u) << 23;
  const std::uint32_t normal =
      (magnitude - kBiasDifference + 0x0fffu + ((magnitude >> 13) & 1u)) >> 13;
  // The unit in the last place of 0.5f is 2^-24, that of a subnormal half: the addition itself
  // rounds, and the sum's low bits are the result.
  const std::uint32_t subnormal =
      std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) -
      std::bit_cast<std::uint32_t>(0.5f);
  // Quiet, with what fits of the payload.
  const std::uint32_t nan = 0x7e00u | ((magnitude >> 13) & 0x03ffu);
  // Subnormal below 2^-14.
  const std::uint32_t finite =
      half_internal::SelectBits(magnitude < 0x38800000u, subnormal, normal);
  // Infinite from 65536 on, where the exponent of `normal` would not fit.
  const std::uint32_t ordered =
      half_internal::SelectBits(magnitude >= 0x47800000u, 0x7c00u, finite);
  const bool is_nan = magnitude > 0x7f800000u;
  return static_cast<std::uint16_t>(sign | half_internal::SelectBits(is_nan, nan, ordered));
}

inline std::uint16_t FloatToBfloat16(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  const std::uint32_t nan = (bits >> 16) | 0x0040u;
  const bool is_nan = (bits & 0x7fffffffu) > 0x7f800000u;
  return static_cast<std::uint16_t>(half_internal::SelectBits(is_nan, nan, rounded));
}

}  // namespace causeway
