// SPDX-License-Identifier: Apache-2.0
// The refusal of a model that this server does not hold.
#pragma once

#include <string>
#include <vector>

#include "server/base/failure.h"
#include "server/base/utf8.h"

namespace causeway {

/// Names the models that there are. A long name is cut: an error has to fit into response headers.
inline Failure UnknownModel(const std::string& name, const std::vector<std::string>& models) {
  std::string allowed;
  for (const std::string& model : models) {
    if (!allowed.empty()) allowed += ", ";
    allowed += model;
  }
  return BadField(Reason::kUnknownModel, "model", Quote(name, 64), allowed);
}

}  // namespace causeway
