// SPDX-License-Identifier: Apache-2.0
// A ModelConfig from the tensors of an original Wan file, which carries no configuration.
#pragma once

#include "server/decoder/models/model_config.h"
#include "server/decoder/weights/tensor_file.h"

namespace causeway::decoder::wan21 {

/// Base width from the head, latent channels from conv2, multipliers, number of residual blocks
/// and temporal upsamplers from the up stages; latent statistics are Wan 2.1's. What a missing
/// tensor leaves open has Wan 2.1's value, so that the weight check can name the tensor. The
/// config's name is left empty.
/// Throws FileError for a Wan 2.2 VAE, for extents beyond the family's limits, and for other than
/// 16 latent channels, whose statistics nobody knows.
ModelConfig ConfigFromTensors(const TensorFile& file);

}  // namespace causeway::decoder::wan21
