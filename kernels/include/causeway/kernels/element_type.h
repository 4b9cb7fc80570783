// SPDX-License-Identifier: Apache-2.0
// The element types of activations and weights. A unit is 16 bytes of neighbouring channels: what
// one asynchronous copy moves and one row of a matrix fragment holds.
#pragma once

namespace causeway::kernels {

enum class ElementType {
  kFp16,  // IEEE half
  kBf16,  // bfloat16
  kTf32,  // fp32 whose lower 13 mantissa bits are zero: what the tensor cores read of one
};

constexpr int ElementBytes(ElementType type) { return type == ElementType::kTf32 ? 4 : 2; }

constexpr int UnitBytes() { return 16; }

/// Channels in a unit: 8, or 4 of tf32.
constexpr int UnitChannels(ElementType type) { return UnitBytes() / ElementBytes(type); }

constexpr const char* ElementTypeName(ElementType type) {
  return type == ElementType::kFp16 ? "fp16" : type == ElementType::kBf16 ? "bf16" : "tf32";
}

}  // namespace causeway::kernels
