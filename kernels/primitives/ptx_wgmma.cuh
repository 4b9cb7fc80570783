// SPDX-License-Identifier: Apache-2.0
// The PTX body of Wgmma: D (64 x N, float) = A B (+ D), both operands in shared memory by
// descriptor, K-major, K of 32 bytes. One specialisation an element type and an N. Contract:
// README.md.
#pragma once

#include <cstdint>

#include "kernels/primitives/elements.h"
#include "kernels/primitives/macros.h"

namespace causeway::kernels {
namespace internal {

template <typename Element, int kN>
struct WgmmaInstruction;  // no such instruction here, where not specialised below

// Eight accumulators: their names in the instruction, and the operands themselves.
#define CAUSEWAY_N0 "%0, %1, %2, %3, %4, %5, %6, %7"
#define CAUSEWAY_N1 "%8, %9, %10, %11, %12, %13, %14, %15"
#define CAUSEWAY_N2 "%16, %17, %18, %19, %20, %21, %22, %23"
#define CAUSEWAY_N3 "%24, %25, %26, %27, %28, %29, %30, %31"
#define CAUSEWAY_N4 "%32, %33, %34, %35, %36, %37, %38, %39"
#define CAUSEWAY_N5 "%40, %41, %42, %43, %44, %45, %46, %47"
#define CAUSEWAY_N6 "%48, %49, %50, %51, %52, %53, %54, %55"
#define CAUSEWAY_N7 "%56, %57, %58, %59, %60, %61, %62, %63"
#define CAUSEWAY_N8 "%64, %65, %66, %67, %68, %69, %70, %71"
#define CAUSEWAY_N9 "%72, %73, %74, %75, %76, %77, %78, %79"
#define CAUSEWAY_N10 "%80, %81, %82, %83, %84, %85, %86, %87"
#define CAUSEWAY_N11 "%88, %89, %90, %91, %92, %93, %94, %95"
#define CAUSEWAY_N12 "%96, %97, %98, %99, %100, %101, %102, %103"
#define CAUSEWAY_N13 "%104, %105, %106, %107, %108, %109, %110, %111"
#define CAUSEWAY_N14 "%112, %113, %114, %115, %116, %117, %118, %119"
#define CAUSEWAY_N15 "%120, %121, %122, %123, %124, %125, %126, %127"
#define CAUSEWAY_D4(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define CAUSEWAY_D8(i) CAUSEWAY_D4(i), CAUSEWAY_D4(i + 4)
#define CAUSEWAY_D16(i) CAUSEWAY_D8(i), CAUSEWAY_D8(i + 8)
#define CAUSEWAY_D32(i) CAUSEWAY_D16(i), CAUSEWAY_D16(i + 16)
#define CAUSEWAY_D64(i) CAUSEWAY_D32(i), CAUSEWAY_D32(i + 32)

#define CAUSEWAY_NAMES_8 "%0, %1, %2, %3"
#define CAUSEWAY_NAMES_96 \
  CAUSEWAY_N0 ", " CAUSEWAY_N1 ", " CAUSEWAY_N2 ", " CAUSEWAY_N3 ", " CAUSEWAY_N4 ", " CAUSEWAY_N5
#define CAUSEWAY_NAMES_128 CAUSEWAY_NAMES_96 ", " CAUSEWAY_N6 ", " CAUSEWAY_N7
#define CAUSEWAY_NAMES_192 \
  CAUSEWAY_NAMES_128 ", " CAUSEWAY_N8 ", " CAUSEWAY_N9 ", " CAUSEWAY_N10 ", " CAUSEWAY_N11
#define CAUSEWAY_NAMES_256 \
  CAUSEWAY_NAMES_192 ", " CAUSEWAY_N12 ", " CAUSEWAY_N13 ", " CAUSEWAY_N14 ", " CAUSEWAY_N15

// `a`, `b`, `use_d` are the operand numbers that follow the accumulators. `tail`: scales of A and B
// (1) and, for 16-bit elements, both operands K-major (0).
#define CAUSEWAY_WGMMA(Element, type, n, k, a, b, use_d, tail, ...)                         \
  template <>                                                                               \
  struct WgmmaInstruction<Element, n> {                                                     \
    static CAUSEWAY_DEVICE void Issue(float (&d)[n / 2], uint64_t a_descriptor,             \
                                      uint64_t b_descriptor, int accumulate) {              \
      asm volatile("{ .reg .pred p; setp.ne.b32 p, " use_d                                  \
                   ", 0; wgmma.mma_async.sync.aligned.m64n" #n "k" #k ".f32." type "." type \
                   " {" CAUSEWAY_NAMES_##n "}, " a ", " b ", p, " tail "; }"                \
                   : __VA_ARGS__                                                            \
                   : "l"(a_descriptor), "l"(b_descriptor), "r"(accumulate)                  \
                   : "memory");                                                             \
    }                                                                                       \
  };
#define CAUSEWAY_WGMMA_TYPES(n, a, b, use_d, ...)                                 \
  CAUSEWAY_WGMMA(Half, "f16", n, 16, a, b, use_d, "1, 1, 0, 0", __VA_ARGS__)      \
  CAUSEWAY_WGMMA(Bfloat16, "bf16", n, 16, a, b, use_d, "1, 1, 0, 0", __VA_ARGS__) \
  CAUSEWAY_WGMMA(Tf32, "tf32", n, 8, a, b, use_d, "1, 1", __VA_ARGS__)            \
  CAUSEWAY_WGMMA(E4m3, "e4m3", n, 32, a, b, use_d, "1, 1", __VA_ARGS__)

CAUSEWAY_WGMMA_TYPES(8, "%4", "%5", "%6", CAUSEWAY_D4(0))
CAUSEWAY_WGMMA_TYPES(96, "%48", "%49", "%50", CAUSEWAY_D32(0), CAUSEWAY_D16(32))
CAUSEWAY_WGMMA_TYPES(128, "%64", "%65", "%66", CAUSEWAY_D64(0))
CAUSEWAY_WGMMA_TYPES(192, "%96", "%97", "%98", CAUSEWAY_D64(0), CAUSEWAY_D32(64))
CAUSEWAY_WGMMA_TYPES(256, "%128", "%129", "%130", CAUSEWAY_D64(0), CAUSEWAY_D64(64))

#undef CAUSEWAY_WGMMA_TYPES
#undef CAUSEWAY_WGMMA
#undef CAUSEWAY_D4
#undef CAUSEWAY_D8
#undef CAUSEWAY_D16
#undef CAUSEWAY_D32
#undef CAUSEWAY_D64

}  // namespace internal

template <typename Element, int kN>
CAUSEWAY_DEVICE void Wgmma(float (&d)[kN / 2], uint64_t a_descriptor, uint64_t b_descriptor,
                           bool accumulate) {
  internal::WgmmaInstruction<Element, kN>::Issue(d, a_descriptor, b_descriptor, accumulate ? 1 : 0);
}

}  // namespace causeway::kernels
