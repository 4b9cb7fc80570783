// SPDX-License-Identifier: Apache-2.0
#include "server/decoder/models/wan21/tensor_config.h"

#include <algorithm>
#include <string>
#include <utility>

#include "server/base/failure.h"
#include "server/decoder/models/wan21/config_limits.h"
#include "server/decoder/models/wan21/latent_stats.h"

namespace causeway::decoder::wan21 {
namespace {

std::string UpsampleName(int index, const std::string& rest) {
  return "decoder.upsamples." + std::to_string(index) + "." + rest;
}

bool HasPrefix(const TensorFile& file, const std::string& prefix) {
  const auto found = file.tensors().lower_bound(prefix);
  return found != file.tensors().end() && found->first.starts_with(prefix);
}

/// The first extent of that tensor; `fallback` where there is no such tensor.
int FirstExtent(const TensorFile& file, const std::string& name, int fallback, int high) {
  const TensorView* view = file.Find(name);
  if (view == nullptr) return fallback;
  const std::int64_t extent = view->shape.empty() ? 0 : view->shape[0];
  if (extent < 1 || extent > high) {
    throw FileError(file.path(), "tensor " + name + ": got shape " + ShapeText(view->shape) +
                                     ", allowed: a first extent from 1 to " + std::to_string(high));
  }
  return static_cast<int>(extent);
}

/// The up stages lie in one list, each its residual blocks and then its upsampler: with n blocks
/// the three upsamplers are entries n, 2n + 1 and 3n + 2.
int CountResBlocks(const TensorFile& file, int fallback) {
  const auto is_upsampler = [&](int index) {
    return HasPrefix(file, UpsampleName(index, "resample."));
  };
  for (int count = 1; count <= kMaxResBlocks; ++count) {
    if (is_upsampler(count) && is_upsampler(2 * count + 1) && is_upsampler(3 * count + 2)) {
      return count;
    }
  }
  return fallback;
}

}  // namespace

ModelConfig ConfigFromTensors(const TensorFile& file) {
  if (HasPrefix(file, "decoder.upsamples.0.upsamples.")) {
    throw FileError(file.path(),
                    "is a Wan 2.2 VAE (residual up stages), which is not supported; Wan 2.1's is");
  }
  ModelConfig config = DefaultConfig();
  config.latent_channels =
      FirstExtent(file, "conv2.weight", config.latent_channels, kMaxLatentChannels);
  if (config.latent_channels != kLatentChannels) {
    throw FileError(file.path(),
                    "latent channels (tensor conv2.weight): got " +
                        std::to_string(config.latent_channels) +
                        ", allowed: " + std::to_string(kLatentChannels) +
                        " (others only as a diffusers folder, whose config.json has their mean "
                        "and standard deviation)");
  }
  config.base_width = FirstExtent(file, "decoder.head.0.gamma", config.base_width, kMaxBaseWidth);
  config.res_blocks = CountResBlocks(file, config.res_blocks);
  std::vector<bool> temporal;
  for (int stage = 0; stage + 1 < kStageCount; ++stage) {
    const int first = stage * (config.res_blocks + 1);
    int& multiplier = config.multipliers[static_cast<std::size_t>(kStageCount - 1 - stage)];
    const int channels =
        FirstExtent(file, UpsampleName(first, "residual.2.weight"), config.base_width * multiplier,
                    config.base_width * kMaxMultiplier);
    // Other widths leave Wan 2.1's multiplier, and the weight check names the tensors.
    if (channels % config.base_width == 0) multiplier = channels / config.base_width;
    temporal.push_back(HasPrefix(file, UpsampleName(first + config.res_blocks, "time_conv.")));
  }
  if (std::count(temporal.begin(), temporal.end(), true) == kTemporalUpsamplers) {
    config.temporal_upsample = std::move(temporal);
  }
  CheckChannelsHalve(file.path(), config);
  return config;
}

}  // namespace causeway::decoder::wan21
