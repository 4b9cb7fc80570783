// SPDX-License-Identifier: Apache-2.0
#include "server/decoder/models/registry.h"

#include <stdexcept>

#include "server/decoder/models/wan21/config_limits.h"
#include "server/decoder/models/wan21/config_reader.h"
#include "server/decoder/models/wan21/graph.h"
#include "server/decoder/models/wan21/key_map.h"
#include "server/decoder/models/wan21/tensor_config.h"
#include "server/decoder/models/wan21/weight_list.h"

namespace causeway::decoder {
namespace {

constexpr ModelFamily kFamilies[] = {
    {wan21::kFamilyName, wan21::kConfigClass, wan21::HasDiffusersNames, wan21::HasOriginalNames,
     wan21::ReadConfig, wan21::ConfigFromTensors, wan21::MapDiffusersKey, wan21::MapOriginalKey,
     wan21::ListWeights, wan21::BuildGraph},
};

}  // namespace

std::span<const ModelFamily> ModelFamilies() { return kFamilies; }

const ModelFamily& FindFamily(std::string_view name) {
  for (const ModelFamily& family : kFamilies) {
    if (family.name == name) return family;
  }
  throw std::out_of_range("no model family " + std::string(name));
}

std::vector<ModelConfig> BuiltInModels() {
  ModelConfig wan = wan21::DefaultConfig();
  wan.name = "wan2.1";
  ModelConfig lightvae = wan;
  lightvae.name = "lightvae";
  lightvae.base_width = 24;
  return {wan, lightvae};
}

}  // namespace causeway::decoder
