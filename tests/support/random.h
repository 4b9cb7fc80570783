// SPDX-License-Identifier: Apache-2.0
// Random numbers for tests, the same on every machine.
#pragma once

#include <cstdint>

namespace causeway::test {

/// SplitMix64 (Steele, Lea, Flood 2014): a small generator with known output.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t Next() {
    state_ += 0x9e3779b97f4a7c15ULL;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }

  /// Uniform in [-1, 1).
  double Uniform() { return static_cast<double>(Next() >> 11) * 0x1p-52 - 1.0; }

  /// An integer in [low, high].
  int Integer(int low, int high) {
    return low + static_cast<int>(Next() % static_cast<std::uint64_t>(high - low + 1));
  }

 private:
  std::uint64_t state_;
};

}  // namespace causeway::test
