// SPDX-License-Identifier: Apache-2.0
// A small generator (SplitMix64) whose numbers are the same everywhere for the same seed.
#pragma once

#include <cstdint>

namespace causeway::kernels::simt {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t Next() {
    state_ += 0x9e3779b97f4a7c15u;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// 0 .. bound - 1.
  int Below(int bound) {
    return static_cast<int>(((Next() >> 32) * static_cast<uint64_t>(bound)) >> 32);
  }

 private:
  uint64_t state_;
};

}  // namespace causeway::kernels::simt
