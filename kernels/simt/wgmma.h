// SPDX-License-Identifier: Apache-2.0
// wgmma: D (64 x N, float) += A (64 x K) B (K x N), K of 32 bytes, both operands K-major in shared
// memory by descriptor. A warpgroup is four warps from a multiple of four; warp i holds rows 16 i
// to 16 i + 15 of D. Between issue and wait the accumulators are poison, and shared memory is read
// at any moment that the launch's policy chooses.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "kernels/primitives/elements.h"
#include "kernels/simt/knowledge.h"
#include "kernels/simt/thread_context.h"

namespace causeway::kernels::simt {

class Machine;
struct Warp;

enum class WgmmaElement { kHalf, kBfloat16, kTf32, kE4m3 };

template <typename Element>
constexpr WgmmaElement WgmmaElementOf() {
  if constexpr (std::is_same_v<Element, Half>) {
    return WgmmaElement::kHalf;
  } else if constexpr (std::is_same_v<Element, Bfloat16>) {
    return WgmmaElement::kBfloat16;
  } else if constexpr (std::is_same_v<Element, Tf32>) {
    return WgmmaElement::kTf32;
  } else {
    static_assert(std::is_same_v<Element, E4m3>);
    return WgmmaElement::kE4m3;
  }
}

/// One instruction of a warpgroup.
struct WgmmaOperation {
  WgmmaElement element;
  int n;
  uint64_t a;
  uint64_t b;
  bool accumulate;
  int issued = 0;               // by so many warps
  size_t accumulators[4] = {};  // by warp: which of its sets
  int64_t group[4] = {};        // by warp: how many groups it had committed before
};

struct WgmmaGroup {
  std::vector<WgmmaOperation> operations;  // since the last time that none was unfinished
  int64_t finished = 0;                    // so many at the front are
  std::vector<Warp*> waiting;
};

/// The accumulators of one warp that unfinished operations use.
struct WgmmaAccumulators {
  float* registers[32] = {};  // by lane; N / 2 each
  int n = 0;
  std::vector<float> values;  // 16 x N: what the operations have made of them so far
  int pending = 0;            // operations not waited for; 0: the set is free
};

struct WgmmaWarp {
  bool fenced = false;
  int64_t issued = 0;  // operations, of the group's
  int64_t executed = 0;
  int64_t waited = 0;
  int64_t committed = 0;  // groups
  std::vector<WgmmaAccumulators> accumulators;
};

void IssueWgmma(WgmmaElement element, int n, float* d, uint64_t a, uint64_t b, bool accumulate,
                const Site& site);
void FenceWgmma(const Site& site);
void CommitWgmma(const Site& site);
void WaitWgmma(int pending_groups, const Site& site);
/// That a thread of the warp may return: nothing is pending.
void CheckWgmmaAtExit(Machine& machine, Warp& warp);

}  // namespace causeway::kernels::simt
