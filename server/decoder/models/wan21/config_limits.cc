// SPDX-License-Identifier: Apache-2.0
#include "server/decoder/models/wan21/config_limits.h"

#include "server/base/failure.h"
#include "server/decoder/models/wan21/latent_stats.h"

namespace causeway::decoder::wan21 {

ModelConfig DefaultConfig() {
  ModelConfig config;
  config.family = kFamilyName;
  config.latents_mean.assign(kLatentsMean.begin(), kLatentsMean.end());
  config.latents_std.assign(kLatentsStd.begin(), kLatentsStd.end());
  return config;
}

void CheckChannelsHalve(const std::string& path, const ModelConfig& config) {
  for (std::size_t i = 1; i < config.multipliers.size(); ++i) {
    const int channels = config.base_width * config.multipliers[i];
    if (channels % 2 != 0) {
      throw FileError(path, "channels of a stage that upsamples: got " + std::to_string(channels) +
                                " (base width " + std::to_string(config.base_width) +
                                " x multiplier " + std::to_string(config.multipliers[i]) +
                                "), allowed: an even number");
    }
  }
}

}  // namespace causeway::decoder::wan21
