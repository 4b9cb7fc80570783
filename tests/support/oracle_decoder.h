// SPDX-License-Identifier: Apache-2.0
// The whole Wan 2.1 decoder on the oracle's operations, over all latents at once: no cache, no
// plan, no phases. What a streaming decoder must equal.
#pragma once

#include "server/decoder/backends/backend.h"
#include "server/decoder/models/model_config.h"
#include "tests/support/oracle.h"

namespace causeway::oracle {

/// `latents`: [N, h, w, C], un-normalised already. Returns [1 + 4 (N - 1), 8h, 8w, 3], clamped to
/// [-1, 1]. `config` must have temporal upsampling in exactly the first two stages.
Activation Decode(const decoder::ModelConfig& config, const decoder::ReadWeight& read,
                  const Activation& latents);

}  // namespace causeway::oracle
