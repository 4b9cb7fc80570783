// SPDX-License-Identifier: Apache-2.0
#include "server/bench/model_choice.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "server/bench/item_list.h"
#include "server/decoder/models/load_model.h"
#include "server/decoder/models/registry.h"

namespace causeway::bench {

std::string ModelPlaceholder() {
  std::string text;
  for (const decoder::ModelConfig& model : decoder::BuiltInModels()) {
    AppendItem(text, model.name, "|");
  }
  AppendItem(text, "PATH", "|");
  return text;
}

decoder::ModelConfig ModelFlag(const Arguments& arguments, std::string_view name) {
  const std::string& choice = arguments.Get(name);
  std::string allowed;
  for (decoder::ModelConfig& model : decoder::BuiltInModels()) {
    if (model.name == choice) return std::move(model);
    AppendItem(allowed, model.name);
  }
  std::error_code error;
  if (!std::filesystem::exists(choice, error)) {
    throw BadFlag(name, choice,
                  allowed + ", or the path of a diffusers folder, safetensors file or checkpoint");
  }
  return decoder::LoadModel(choice).config;
}

std::string Describe(const decoder::ModelConfig& config) {
  std::string multipliers;
  for (const int multiplier : config.multipliers) {
    AppendItem(multipliers, std::to_string(multiplier), ",");
  }
  return config.name + " (" + config.family + ", base width " + std::to_string(config.base_width) +
         ", multipliers " + multipliers + ", " + std::to_string(config.latent_channels) +
         " latent channels)";
}

}  // namespace causeway::bench
