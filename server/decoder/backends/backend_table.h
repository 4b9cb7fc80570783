// SPDX-License-Identifier: Apache-2.0
// The backends of this build, by name.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "server/decoder/backends/backend.h"
#include "server/decoder/models/model_config.h"

namespace causeway::decoder {

/// For messages and flags.
const std::vector<std::string>& BackendNames();

/// Prepares a model's weights on the backend of that name. `plan` is one of the model's plans, of
/// any geometry. `threads`: CPU threads inside one operation, for the whole process; 0: one a core.
/// Throws FailureError(kBadOption) where there is no such backend or `threads` is out of range.
std::unique_ptr<Backend> MakeBackend(const std::string& name, const ModelConfig& config,
                                     const Plan& plan, int threads, const ReadWeight& read);

}  // namespace causeway::decoder
