// SPDX-License-Identifier: Apache-2.0
#include "server/decoder/models/wan21/graph.h"

#include <utility>

#include "server/decoder/plan/program_builder.h"

namespace causeway::decoder::wan21 {
namespace {

constexpr int kImageChannels = 3;

NormRequest NormBefore(const std::string& gamma_owner, NormKind kind = NormKind::kRmsSilu) {
  return {kind, gamma_owner + ".gamma"};
}

/// A residual block by its names. Its first norm is applied by whoever writes its input.
struct ResidualBlock {
  std::string name;     // "up1.res0"
  std::string weights;  // "decoder.up_blocks.1.resnets.0"
  int out_channels = 0;

  NormRequest FirstNorm() const { return NormBefore(weights + ".norm1"); }
};

/// `input.raw` and `input.normed` are the block's input before and after its first norm; `next` is
/// the norm that the block's reader wants.
Results AddResidualBlock(ProgramBuilder& builder, const ResidualBlock& block, const Results& input,
                         bool keep_raw, const NormRequest& next) {
  Value residual = input.raw;
  if (input.raw.shape.channels != block.out_channels) {
    residual = builder
                   .Pointwise(block.name + ".shortcut", input.raw, block.out_channels,
                              block.weights + ".conv_shortcut", true, {}, {})
                   .raw;
  }
  const Results middle =
      builder.CausalConv(block.name + ".conv1", input.normed, block.out_channels,
                         block.weights + ".conv1", {}, false, NormBefore(block.weights + ".norm2"));
  return builder.CausalConv(block.name + ".conv2", middle.normed, block.out_channels,
                            block.weights + ".conv2", residual, keep_raw, next);
}

/// Conv_in, and the middle: residual block, attention, residual block. `next` as above.
Results AddMiddle(ProgramBuilder& builder, int channels, const NormRequest& next) {
  const std::string weights = "decoder.mid_block.";
  const ResidualBlock res0{"mid.res0", weights + "resnets.0", channels};
  const ResidualBlock res1{"mid.res1", weights + "resnets.1", channels};
  const std::string attention = weights + "attentions.0";

  const Value latent = builder
                           .Unnormalise("post_quant_conv", builder.latent(),
                                        builder.latent().shape.channels, "post_quant_conv")
                           .raw;
  const Results entry = builder.CausalConv("conv_in", latent, channels, "decoder.conv_in", {}, true,
                                           res0.FirstNorm());
  const Results before =
      AddResidualBlock(builder, res0, entry, true, NormBefore(attention + ".norm", NormKind::kRms));
  const Value qkv = builder
                        .Pointwise("mid.attn.to_qkv", before.normed, 3 * channels,
                                   attention + ".to_qkv", false, {}, {})
                        .raw;
  const Value mixed = builder.Attention("mid.attn.core", qkv).raw;
  const Results after = builder.Pointwise("mid.attn.proj", mixed, channels, attention + ".proj",
                                          false, before.raw, res1.FirstNorm());
  return AddResidualBlock(builder, res1, after, true, next);
}

std::vector<ResidualBlock> StageBlocks(const ModelConfig& config, int stage, int channels) {
  std::vector<ResidualBlock> blocks;
  for (int index = 0; index < config.res_blocks; ++index) {
    const std::string number = std::to_string(index);
    blocks.push_back({"up" + std::to_string(stage) + ".res" + number,
                      "decoder.up_blocks." + std::to_string(stage) + ".resnets." + number,
                      channels});
  }
  return blocks;
}

/// All up stages and the head. The stages run from the deepest multiplier to the first; an
/// upsampler halves the channels.
void AddStages(ProgramBuilder& builder, const ModelConfig& config,
               const std::vector<std::vector<ResidualBlock>>& stages, Results input) {
  for (std::size_t stage = 0; stage < stages.size(); ++stage) {
    builder.SetBlock(static_cast<Block>(static_cast<int>(Block::kUp0) + static_cast<int>(stage)));
    const std::vector<ResidualBlock>& blocks = stages[stage];
    const bool is_last_stage = stage + 1 == stages.size();
    for (std::size_t index = 0; index < blocks.size(); ++index) {
      const bool is_last_block = index + 1 == blocks.size();
      NormRequest next;
      if (!is_last_block) {
        next = blocks[index + 1].FirstNorm();
      } else if (is_last_stage) {
        next = NormBefore("decoder.norm_out");
      }
      const bool keep_raw = !(is_last_block && is_last_stage);
      input = AddResidualBlock(builder, blocks[index], input, keep_raw, next);
    }
    if (is_last_stage) continue;

    const std::string name = "up" + std::to_string(stage);
    const std::string weights = "decoder.up_blocks." + std::to_string(stage) + ".upsamplers.0";
    Value value = input.raw;
    if (config.temporal_upsample[stage]) {
      value = builder.TimeConv(name + ".time_conv", value, weights + ".time_conv");
    }
    input = builder.UpConv(name + ".conv2d", value, value.shape.channels / 2,
                           weights + ".resample.1", stages[stage + 1].front().FirstNorm());
  }
  builder.SetBlock(Block::kHead);
  builder.Head("conv_out", input.normed, kImageChannels, "decoder.conv_out");
}

}  // namespace

Plan BuildGraph(const ModelConfig& config, const Geometry& geometry) {
  Plan plan;
  plan.geometry = geometry;
  const ActivationShape latent{1, geometry.height / 8, geometry.width / 8, config.latent_channels};
  const int stage_count = static_cast<int>(config.multipliers.size());
  for (const Phase phase : {Phase::kFirstLatent, Phase::kLaterLatent}) {
    ProgramBuilder builder(phase, latent);
    std::vector<std::vector<ResidualBlock>> stages;
    for (int stage = 0; stage < stage_count; ++stage) {
      const int multiplier = config.multipliers[static_cast<std::size_t>(stage_count - 1 - stage)];
      stages.push_back(StageBlocks(config, stage, config.base_width * multiplier));
    }
    const int deepest = config.base_width * config.multipliers.back();
    AddStages(builder, config, stages,
              AddMiddle(builder, deepest, stages.front().front().FirstNorm()));
    Program& program = phase == Phase::kFirstLatent ? plan.first : plan.later;
    program = builder.TakeProgram();
    plan.slots = builder.TakeSlots();  // the same in both phases
  }
  return plan;
}

}  // namespace causeway::decoder::wan21
