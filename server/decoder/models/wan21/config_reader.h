// SPDX-License-Identifier: Apache-2.0
// A ModelConfig from the config.json of a diffusers AutoencoderKLWan.
#pragma once

#include <string>

#include "server/base/json.h"
#include "server/decoder/models/model_config.h"

namespace causeway::decoder::wan21 {

inline constexpr char kConfigClass[] = "AutoencoderKLWan";

/// Reads every field that shapes the decoder. Fields that are missing have diffusers' defaults,
/// which are Wan 2.1's. A field that is not known is accepted only where it is null or false (a
/// switch that is off) or its name starts with '_'. The config's name is left empty.
/// `path` is for messages. Throws FileError with the field, what it holds and what it may hold;
/// among others for the Wan 2.2 VAE (is_residual, patch_size) and for attention in up stages.
ModelConfig ReadConfig(const std::string& path, const JsonValue& json);

}  // namespace causeway::decoder::wan21
