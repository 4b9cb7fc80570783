// SPDX-License-Identifier: Apache-2.0
// The reference backend: the plan executed by plain LibTorch operations. It is meant to be read,
// and to be the baseline of every comparison, so it makes no needless copy and keeps channels
// innermost throughout.
#pragma once

#include <memory>

#include "server/decoder/backends/backend.h"
#include "server/decoder/models/model_config.h"

namespace causeway::decoder::reference {

/// A backend in fp32 on the CPU. `plan` is one of the model's plans, of any geometry; it tells
/// which weights there are.
std::unique_ptr<Backend> MakeReferenceBackend(const ModelConfig& config, const Plan& plan,
                                              const ReadWeight& read);

}  // namespace causeway::decoder::reference
