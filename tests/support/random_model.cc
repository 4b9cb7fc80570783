// SPDX-License-Identifier: Apache-2.0
#include "tests/support/random_model.h"

#include <cmath>
#include <map>
#include <memory>

#include "server/decoder/models/wan21/graph.h"

namespace causeway::test {
namespace {

std::uint64_t Hash(const std::string& text, std::uint64_t seed) {
  // FNV-1a, 64 bit.
  std::uint64_t hash = 0xcbf29ce484222325ULL ^ seed;
  for (const char c : text) {
    hash = (hash ^ static_cast<std::uint8_t>(c)) * 0x100000001b3ULL;
  }
  return hash;
}

struct TensorRecipe {
  std::size_t elements = 0;
  double center = 0.0;
  double spread = 0.0;
};

// Uniform weights of variance 1 / fan-in keep a signal's power through a convolution.
void AddRecipes(const decoder::Step& step, std::map<std::string, TensorRecipe>& recipes) {
  const auto out = static_cast<std::size_t>(step.output.channels) *
                   (step.kind == decoder::StepKind::kTimeConv ? 2 : 1);
  if (!step.weight.empty()) {
    const auto fan_in = static_cast<std::size_t>(step.input.channels * step.kernel.time *
                                                 step.kernel.height * step.kernel.width);
    const double spread = std::sqrt(3.0 / static_cast<double>(fan_in));
    recipes[step.weight] = {out * fan_in, 0.0, spread};
    recipes[step.bias] = {out, 0.0, 0.1};
  }
  if (!step.epilogue.norm_weight.empty()) {
    recipes[step.epilogue.norm_weight] = {static_cast<std::size_t>(step.output.channels), 1.0, 0.3};
  }
}

}  // namespace

decoder::ModelConfig TinyConfig(int base_width) {
  decoder::ModelConfig config;
  config.name = "tiny";
  config.family = "wan21";
  config.base_width = base_width;
  for (int channel = 0; channel < config.latent_channels; ++channel) {
    config.latents_mean.push_back(0.05 * (channel - 8));
    config.latents_std.push_back(0.6 + 0.05 * channel);
  }
  return config;
}

decoder::ReadWeight RandomWeights(const decoder::ModelConfig& config, std::uint64_t seed) {
  auto recipes = std::make_shared<std::map<std::string, TensorRecipe>>();
  for (const decoder::Step& step : decoder::wan21::BuildGraph(config, {8, 8}).later.steps) {
    AddRecipes(step, *recipes);
  }
  return [recipes, seed](const std::string& name) {
    const TensorRecipe& recipe = recipes->at(name);
    Random random(Hash(name, seed));
    std::vector<float> values(recipe.elements);
    for (float& value : values) {
      value = static_cast<float>(recipe.center + recipe.spread * random.Uniform());
    }
    return values;
  };
}

std::vector<std::vector<float>> RandomLatents(const decoder::ModelConfig& config, int height,
                                              int width, int count, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::vector<float>> latents(static_cast<std::size_t>(count));
  for (std::vector<float>& latent : latents) {
    latent.resize(static_cast<std::size_t>(config.latent_channels * height * width));
    for (float& value : latent) value = static_cast<float>(random.Uniform());
  }
  return latents;
}

}  // namespace causeway::test
