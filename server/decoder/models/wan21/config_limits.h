// SPDX-License-Identifier: Apache-2.0
// What a ModelConfig of this family may hold, wherever it comes from.
#pragma once

#include <string>

#include "server/decoder/models/model_config.h"

namespace causeway::decoder::wan21 {

inline constexpr char kFamilyName[] = "wan21";

/// Up stages 0 to 2 double the size, the last does not: 8 pixels a latent each way.
inline constexpr int kStageCount = 4;
/// Of these three, those that double the frames: 4 frames a latent.
inline constexpr int kTemporalUpsamplers = 2;

inline constexpr int kMaxBaseWidth = 1024;
inline constexpr int kMaxMultiplier = 16;
inline constexpr int kMaxLatentChannels = 128;
inline constexpr int kMaxResBlocks = 9;
inline constexpr int kImageChannels = 3;

/// Wan 2.1's own configuration with its latent statistics.
ModelConfig DefaultConfig();

/// Throws FileError(path) where an upsampler would have to halve an odd number of channels.
void CheckChannelsHalve(const std::string& path, const ModelConfig& config);

}  // namespace causeway::decoder::wan21
