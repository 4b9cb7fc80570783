// SPDX-License-Identifier: Apache-2.0
// Random models and latents for tests, the same on every machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "server/decoder/backends/backend.h"
#include "server/decoder/models/model_config.h"
#include "tests/support/random.h"

namespace causeway::test {

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
