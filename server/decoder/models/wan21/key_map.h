// SPDX-License-Identifier: Apache-2.0
// The two namings of Wan VAE tensors. The canonical one is that of diffusers' AutoencoderKLWan;
// the original one is that of Wan2.1_VAE.pth, kept by ComfyUI and LightX2V.
// Source: diffusers 0.42.1 and Wan-Video/Wan2.1 wan/modules/vae.py, compared tensor by tensor.
#pragma once

#include <string_view>

#include "server/decoder/models/model_config.h"
#include "server/decoder/weights/tensor_file.h"
#include "server/decoder/weights/weight_store.h"

namespace causeway::decoder::wan21 {

/// Whether the file holds a decoder in that naming, by the names that only it has.
bool HasDiffusersNames(const TensorFile& file);
bool HasOriginalNames(const TensorFile& file);

/// The encoder and quant_conv are ignored; anything else keeps its name, and the weight check
/// finds what does not belong there.
KeyMeaning MapDiffusersKey(std::string_view key);

/// The encoder and conv1 (the encoder's quant_conv) are ignored. The list decoder.upsamples is
/// cut into stages by the config's number of residual blocks.
KeyMeaning MapOriginalKey(const ModelConfig& config, std::string_view key);

}  // namespace causeway::decoder::wan21
