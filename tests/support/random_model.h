// SPDX-License-Identifier: Apache-2.0
// Random numbers and random models for tests, the same on every machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "server/decoder/backends/backend.h"
#include "server/decoder/models/model_config.h"

namespace causeway::test {

/// SplitMix64 (Steele, Lea, Flood 2014): a small generator with known output.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t Next();
  /// Uniform in [-1, 1).
  double Uniform();
  /// An integer in [low, high].
  int Integer(int low, int high);

 private:
  std::uint64_t state_;
};

/// A model of the Wan 2.1 graph with the given base width and latent statistics that are not
/// trivial.
decoder::ModelConfig TinyConfig(int base_width);

/// Weights that depend on the seed and the name only, scaled so that a signal of order 1 stays of
/// order 1 through the network. `shapes` of tensors come from the config's plan.
decoder::ReadWeight RandomWeights(const decoder::ModelConfig& config, std::uint64_t seed);

/// [count, C, h, w] in -1..1, one after the other.
std::vector<std::vector<float>> RandomLatents(const decoder::ModelConfig& config, int height,
                                              int width, int count, std::uint64_t seed);

}  // namespace causeway::test
