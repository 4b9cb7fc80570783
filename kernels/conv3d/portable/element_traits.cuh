// SPDX-License-Identifier: Apache-2.0
// What the kernel's parts need to know of an element type. One matrix product takes 16 pixels, 8
// output channels and two units of input channels: 16 channels of 16-bit elements, 8 of tf32. In
// units the fragments of both look the same, so only the instruction differs.
#pragma once

#include <cstdint>

#include "kernels/primitives/primitives.h"

namespace causeway::kernels::portable {

struct Fp16Traits {
  static constexpr int kUnitChannels = 8;
  static constexpr int kElementBytes = 2;
  CAUSEWAY_DEVICE static void Multiply(float (&d)[4], const std::uint32_t (&a)[4],
                                       const std::uint32_t (&b)[2]) {
    Mma16816<Half>(d, a, b);
  }
  CAUSEWAY_DEVICE static void StorePair(void* to, float first, float second) {
    StoreGlobal4(to, PackHalf2(first, second));
  }
  CAUSEWAY_DEVICE static void LoadPair(const void* from, float& first, float& second) {
    UnpackHalf2(LoadGlobal4(from), first, second);
  }
};

struct Bf16Traits {
  static constexpr int kUnitChannels = 8;
  static constexpr int kElementBytes = 2;
  CAUSEWAY_DEVICE static void Multiply(float (&d)[4], const std::uint32_t (&a)[4],
                                       const std::uint32_t (&b)[2]) {
    Mma16816<Bfloat16>(d, a, b);
  }
  CAUSEWAY_DEVICE static void StorePair(void* to, float first, float second) {
    StoreGlobal4(to, PackBfloat162(first, second));
  }
  CAUSEWAY_DEVICE static void LoadPair(const void* from, float& first, float& second) {
    UnpackBfloat162(LoadGlobal4(from), first, second);
  }
};

/// Raw values in fp32, and the base of tf32.
struct Fp32Pair {
  CAUSEWAY_DEVICE static void StorePair(void* to, float first, float second) {
    StoreGlobal8(to, Words2{{FloatBits(first), FloatBits(second)}});
  }
  CAUSEWAY_DEVICE static void LoadPair(const void* from, float& first, float& second) {
    const Words2 words = LoadGlobal8(from);
    first = BitsFloat(words.word[0]);
    second = BitsFloat(words.word[1]);
  }
};

struct Tf32Traits {
  static constexpr int kUnitChannels = 4;
  static constexpr int kElementBytes = 4;
  CAUSEWAY_DEVICE static void Multiply(float (&d)[4], const std::uint32_t (&a)[4],
                                       const std::uint32_t (&b)[2]) {
    Mma1688(d, a, b);
  }
  CAUSEWAY_DEVICE static void LoadPair(const void* from, float& first, float& second) {
    Fp32Pair::LoadPair(from, first, second);
  }
  // The tensor cores drop the lower mantissa bits; rounding here keeps the error centred.
  CAUSEWAY_DEVICE static void StorePair(void* to, float first, float second) {
    Fp32Pair::StorePair(to, RoundToTf32(first), RoundToTf32(second));
  }
};

}  // namespace causeway::kernels::portable
