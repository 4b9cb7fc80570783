// SPDX-License-Identifier: Apache-2.0
#include "server/bench/random_latents.h"

#include <cmath>
#include <numbers>

namespace causeway::bench {
namespace {

class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t state) : state_(state) {}

  std::uint64_t Next() {
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  /// Uniform in (0, 1]: never zero, whose logarithm is infinite.
  double NextUniform() { return static_cast<double>((Next() >> 11) + 1) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

}  // namespace

void FillRandomLatent(std::uint64_t seed, std::int64_t index, std::span<float> latent) {
  // A first draw from each keeps neighbouring seeds and indices apart.
  const std::uint64_t stream = SplitMix64(seed).Next() + static_cast<std::uint64_t>(index);
  SplitMix64 generator(SplitMix64(stream).Next());
  for (std::size_t at = 0; at < latent.size(); at += 2) {
    const double radius = std::sqrt(-2 * std::log(generator.NextUniform()));
    const double angle = 2 * std::numbers::pi * generator.NextUniform();
    latent[at] = static_cast<float>(radius * std::cos(angle));
    if (at + 1 < latent.size()) latent[at + 1] = static_cast<float>(radius * std::sin(angle));
  }
}

}  // namespace causeway::bench
