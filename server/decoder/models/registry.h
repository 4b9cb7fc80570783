// SPDX-License-Identifier: Apache-2.0
// The model families of this build. A family is a folder beside this file and one row of the table
// in registry.cc; everything else reaches it through the row.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "server/base/json.h"
#include "server/decoder/models/model_config.h"
#include "server/decoder/plan/plan.h"
#include "server/decoder/weights/tensor_file.h"
#include "server/decoder/weights/weight_spec.h"
#include "server/decoder/weights/weight_store.h"

namespace causeway::decoder {

struct ModelFamily {
  std::string_view name;          // ModelConfig::family, the folder's name
  std::string_view config_class;  // _class_name in a diffusers config.json

  bool (*has_diffusers_names)(const TensorFile& file);
  bool (*has_original_names)(const TensorFile& file);

  /// `path` is that of the config.json, for messages. Both throw FileError.
  ModelConfig (*read_config)(const std::string& path, const JsonValue& json);
  ModelConfig (*config_from_tensors)(const TensorFile& file);

  KeyMeaning (*map_diffusers_key)(std::string_view key);
  KeyMeaning (*map_original_key)(const ModelConfig& config, std::string_view key);

  std::vector<WeightSpec> (*list_weights)(const ModelConfig& config);
  Plan (*build_plan)(const ModelConfig& config, const Geometry& geometry);
};

std::span<const ModelFamily> ModelFamilies();

/// The family of that name (ModelConfig::family). Throws std::out_of_range for another.
const ModelFamily& FindFamily(std::string_view name);

/// The plan of a model by its family.
inline Plan BuildPlan(const ModelConfig& config, const Geometry& geometry) {
  return FindFamily(config.family).build_plan(config, geometry);
}

/// Models that are known without a file, for tables of sizes and costs: "wan2.1" and "lightvae".
/// They have no weights.
std::vector<ModelConfig> BuiltInModels();

}  // namespace causeway::decoder
