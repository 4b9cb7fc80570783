// SPDX-License-Identifier: Apache-2.0
#include "server/decoder/models/wan21/weight_list.h"

#include <string>
#include <utility>

#include "server/decoder/models/wan21/config_limits.h"

namespace causeway::decoder::wan21 {
namespace {

using Extents = std::vector<std::int64_t>;

class WeightList {
 public:
  void Conv(const std::string& name, int out_channels, int in_channels, const Extents& kernel) {
    Extents shape{out_channels, in_channels};
    shape.insert(shape.end(), kernel.begin(), kernel.end());
    specs_.push_back({name + ".weight", std::move(shape)});
    specs_.push_back({name + ".bias", {out_channels}});
  }

  /// Norms of video have gamma [C, 1, 1, 1], the one of attention, which sees frames, [C, 1, 1].
  void Norm(const std::string& name, int channels, bool is_of_video = true) {
    Extents shape{channels, 1, 1};
    if (is_of_video) shape.push_back(1);
    specs_.push_back({name + ".gamma", std::move(shape)});
  }

  void ResidualBlock(const std::string& name, int in_channels, int out_channels) {
    Norm(name + ".norm1", in_channels);
    Conv(name + ".conv1", out_channels, in_channels, {3, 3, 3});
    Norm(name + ".norm2", out_channels);
    Conv(name + ".conv2", out_channels, out_channels, {3, 3, 3});
    if (in_channels != out_channels) {
      Conv(name + ".conv_shortcut", out_channels, in_channels, {1, 1, 1});
    }
  }

  void Attention(const std::string& name, int channels) {
    Norm(name + ".norm", channels, false);
    Conv(name + ".to_qkv", 3 * channels, channels, {1, 1});
    Conv(name + ".proj", channels, channels, {1, 1});
  }

  std::vector<WeightSpec> Take() { return std::move(specs_); }

 private:
  std::vector<WeightSpec> specs_;
};

}  // namespace

std::vector<WeightSpec> ListWeights(const ModelConfig& config) {
  WeightList list;
  const int latent_channels = config.latent_channels;
  list.Conv("post_quant_conv", latent_channels, latent_channels, {1, 1, 1});

  const int deepest = config.base_width * config.multipliers.back();
  const std::string middle = "decoder.mid_block.";
  list.Conv("decoder.conv_in", deepest, latent_channels, {3, 3, 3});
  list.ResidualBlock(middle + "resnets.0", deepest, deepest);
  list.Attention(middle + "attentions.0", deepest);
  list.ResidualBlock(middle + "resnets.1", deepest, deepest);

  int channels = deepest;
  for (std::size_t stage = 0; stage < config.multipliers.size(); ++stage) {
    const std::string up = "decoder.up_blocks." + std::to_string(stage) + ".";
    const bool is_last = stage + 1 == config.multipliers.size();
    const int stage_channels =
        config.base_width * config.multipliers[config.multipliers.size() - 1 - stage];
    for (int block = 0; block < config.res_blocks; ++block) {
      list.ResidualBlock(up + "resnets." + std::to_string(block), channels, stage_channels);
      channels = stage_channels;
    }
    if (is_last) continue;
    list.Conv(up + "upsamplers.0.resample.1", channels / 2, channels, {3, 3});
    if (config.temporal_upsample[stage]) {
      list.Conv(up + "upsamplers.0.time_conv", 2 * channels, channels, {3, 1, 1});
    }
    channels /= 2;
  }
  list.Norm("decoder.norm_out", channels);
  list.Conv("decoder.conv_out", kImageChannels, channels, {3, 3, 3});
  return list.Take();
}

}  // namespace causeway::decoder::wan21
