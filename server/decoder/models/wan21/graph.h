// SPDX-License-Identifier: Apache-2.0
// The Wan 2.1 decoder's graph as a plan. Source: diffusers 0.42.1 AutoencoderKLWan (WanDecoder3d)
// and Wan-Video/Wan2.1 wan/modules/vae.py, whose decoders are equal.
#pragma once

#include "server/decoder/models/model_config.h"
#include "server/decoder/plan/plan.h"

namespace causeway::decoder::wan21 {

/// The plan of both phases. `geometry` must be a positive multiple of 8 each way; weight names
/// are those of diffusers.
Plan BuildGraph(const ModelConfig& config, const Geometry& geometry);

}  // namespace causeway::decoder::wan21
