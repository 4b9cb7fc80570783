// SPDX-License-Identifier: Apache-2.0
// The weights of the Wan 2.1 decoder, post_quant_conv included. Source of names and shapes:
// diffusers 0.42.1 AutoencoderKLWan (WanDecoder3d).
#pragma once

#include <vector>

#include "server/decoder/models/model_config.h"
#include "server/decoder/weights/weight_spec.h"

namespace causeway::decoder::wan21 {

/// In the order in which the decoder uses them: 108 tensors for Wan 2.1. Convolutions have
/// `.weight` and `.bias`, RMS norms `.gamma`.
std::vector<WeightSpec> ListWeights(const ModelConfig& config);

}  // namespace causeway::decoder::wan21
