// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/round_element.h"

namespace causeway::kernels {
namespace {

constexpr std::uint32_t kSignBit = 0x80000000U;
constexpr std::uint32_t kTf32Dropped = 0x1fffU;

std::uint32_t Bits(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

float FromBits(std::uint32_t bits) {
  float value = 0.0F;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

float WidenFp16(std::uint16_t half) {
  const int exponent = (half >> 10) & 0x1f;
  const auto mantissa = static_cast<float>(half & 0x3ff);
  float magnitude = 0.0F;
  if (exponent == 0x1f) {
    magnitude = (half & 0x3ff) != 0 ? std::nanf("") : INFINITY;
  } else if (exponent == 0) {
    magnitude = std::ldexp(mantissa, -24);
  } else {
    magnitude = std::ldexp(1024.0F + mantissa, exponent - 25);
  }
  return (half & 0x8000) != 0 ? -magnitude : magnitude;
}

}  // namespace

std::uint16_t RoundToFp16(float value) {
  const auto sign = static_cast<std::uint16_t>((Bits(value) & kSignBit) >> 16);
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | 0x7fff);
  const float magnitude = std::abs(value);
  // 65520 is half way between the largest half, 65504, and 65536.
  if (magnitude >= 65520.0F) return static_cast<std::uint16_t>(sign | 0x7c00);
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  // The distance of neighbours: 2^-24 for subnormals, 11 bits below the leading one otherwise.
  const int scale = exponent - 11 < -24 ? -24 : exponent - 11;
  const float steps = std::nearbyint(std::ldexp(magnitude, -scale));
  const float rounded = std::ldexp(steps, scale);
  std::uint16_t bits = 0;
  if (rounded < 0x1p-14F) {
    bits = static_cast<std::uint16_t>(std::ldexp(rounded, 24));
  } else {
    std::frexp(rounded, &exponent);
    bits = static_cast<std::uint16_t>(((exponent + 14) << 10) +
                                      static_cast<int>(std::ldexp(rounded, 11 - exponent)) - 1024);
  }
  return static_cast<std::uint16_t>(sign | bits);
}

std::uint16_t RoundToBf16(float value) {
  const std::uint32_t bits = Bits(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>((bits >> 16) | 0x40U);
  return static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16);
}

float RoundToTf32Host(float value) {
  if (!std::isfinite(value)) return value;
  return FromBits((Bits(value) + 0x1000U) & ~kTf32Dropped);
}

void StoreRounded(ElementType type, float value, std::byte* out) {
  if (type == ElementType::kTf32) {
    const float rounded = RoundToTf32Host(value);
    std::memcpy(out, &rounded, sizeof rounded);
    return;
  }
  const std::uint16_t bits = type == ElementType::kFp16 ? RoundToFp16(value) : RoundToBf16(value);
  std::memcpy(out, &bits, sizeof bits);
}

float LoadElement(ElementType type, const std::byte* in) {
  if (type == ElementType::kTf32) {
    float value = 0.0F;
    std::memcpy(&value, in, sizeof value);
    return FromBits(Bits(value) & ~kTf32Dropped);
  }
  std::uint16_t bits = 0;
  std::memcpy(&bits, in, sizeof bits);
  return type == ElementType::kFp16 ? WidenFp16(bits)
                                    : FromBits(static_cast<std::uint32_t>(bits) << 16);
}

}  // namespace causeway::kernels
