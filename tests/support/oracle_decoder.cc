// SPDX-License-Identifier: Apache-2.0
#include "tests/support/oracle_decoder.h"

#include <algorithm>
#include <string>

namespace causeway::oracle {
namespace {

class Network {
 public:
  Network(const decoder::ModelConfig& config, const decoder::ReadWeight& read)
      : config_(config), read_(read) {}

  Activation Decode(const Activation& latents) const {
    const int deepest = config_.base_width * config_.multipliers.back();
    Activation x = Conv(latents, "post_quant_conv", config_.latent_channels, 1, 1);
    x = Conv(x, "decoder.conv_in", deepest, 3, 3);
    x = ResidualBlock(x, "decoder.mid_block.resnets.0", deepest);
    x = AttentionBlock(x, "decoder.mid_block.attentions.0");
    x = ResidualBlock(x, "decoder.mid_block.resnets.1", deepest);
    const int stages = static_cast<int>(config_.multipliers.size());
    for (int stage = 0; stage < stages; ++stage) x = Stage(x, stage, stages);
    x = Silu(RmsNorm(x, Vector("decoder.norm_out.gamma")));
    x = Conv(x, "decoder.conv_out", 3, 3, 3);
    for (double& value : x.values) value = std::clamp(value, -1.0, 1.0);
    return x;
  }

 private:
  std::vector<double> Vector(const std::string& name) const {
    const std::vector<float> values = read_(name);
    return {values.begin(), values.end()};
  }

  Activation Conv(const Activation& x, const std::string& name, int out, int time,
                  int space) const {
    return CausalConv(
        x, {out, x.channels, time, space, space, Vector(name + ".weight"), Vector(name + ".bias")});
  }

  Activation ResidualBlock(const Activation& x, const std::string& name, int out) const {
    Activation main = Silu(RmsNorm(x, Vector(name + ".norm1.gamma")));
    main = Conv(main, name + ".conv1", out, 3, 3);
    main = Silu(RmsNorm(main, Vector(name + ".norm2.gamma")));
    main = Conv(main, name + ".conv2", out, 3, 3);
    return Add(main, x.channels == out ? x : Conv(x, name + ".conv_shortcut", out, 1, 1));
  }

  Activation AttentionBlock(const Activation& x, const std::string& name) const {
    Activation y = RmsNorm(x, Vector(name + ".norm.gamma"));
    y = Conv(y, name + ".to_qkv", 3 * x.channels, 1, 1);
    y = Conv(Attention(y), name + ".proj", x.channels, 1, 1);
    return Add(y, x);
  }

  // Frame 0 bypasses the time convolution and is not part of its history.
  Activation UpsampleTime(const Activation& x, const std::string& name) const {
    const Activation first = Frames(x, 0, 1);
    if (x.frames == 1) return first;
    const Activation rest = Frames(x, 1, x.frames);
    return Concatenate(first, DeinterleaveFrames(Conv(rest, name, 2 * x.channels, 3, 1)));
  }

  Activation Stage(Activation x, int stage, int stages) const {
    const std::string name = "decoder.up_blocks." + std::to_string(stage);
    const int width =
        config_.base_width * config_.multipliers[static_cast<std::size_t>(stages - 1 - stage)];
    for (int block = 0; block < config_.res_blocks; ++block) {
      x = ResidualBlock(x, name + ".resnets." + std::to_string(block), width);
    }
    if (stage + 1 == stages) return x;
    if (stage < 2) x = UpsampleTime(x, name + ".upsamplers.0.time_conv");
    return Conv(NearestDouble(x), name + ".upsamplers.0.resample.1", width / 2, 1, 3);
  }

  const decoder::ModelConfig& config_;
  const decoder::ReadWeight& read_;
};

}  // namespace

Activation Decode(const decoder::ModelConfig& config, const decoder::ReadWeight& read,
                  const Activation& latents) {
  return Network(config, read).Decode(latents);
}

}  // namespace causeway::oracle
