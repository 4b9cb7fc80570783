// SPDX-License-Identifier: Apache-2.0
// Plans of the models that are known without a file.
#pragma once

#include <stdexcept>
#include <string_view>

#include "server/decoder/models/registry.h"

namespace causeway::bench {

inline decoder::Plan BuiltInPlan(std::string_view model, const decoder::Geometry& geometry) {
  for (const decoder::ModelConfig& config : decoder::BuiltInModels()) {
    if (config.name == model) return decoder::BuildPlan(config, geometry);
  }
  throw std::invalid_argument("no built-in model of that name");
}

}  // namespace causeway::bench
