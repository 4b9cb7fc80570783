// SPDX-License-Identifier: Apache-2.0
#include "server/decoder/models/wan21/weight_list.h"

#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "server/base/safetensors.h"
#include "server/decoder/models/wan21/config_limits.h"
#include "server/decoder/models/wan21/key_map.h"

namespace causeway::decoder::wan21 {
namespace {

using Shape = std::vector<std::int64_t>;

std::map<std::string, Shape> Listed(const ModelConfig& config) {
  std::map<std::string, Shape> shapes;
  for (const WeightSpec& spec : ListWeights(config)) {
    EXPECT_TRUE(shapes.emplace(spec.name, spec.shape).second) << spec.name << " twice";
  }
  return shapes;
}

std::int64_t Parameters(const ModelConfig& config) {
  std::int64_t sum = 0;
  for (const WeightSpec& spec : ListWeights(config)) sum += ElementCount(spec.shape).value();
  return sum;
}

TEST(WeightList, CountsThoseOfWan21AndLightVae) {
  ModelConfig config = DefaultConfig();
  EXPECT_EQ(ListWeights(config).size(), 108u);
  EXPECT_EQ(Parameters(config), 73'295'603);
  config.base_width = 24;
  EXPECT_EQ(ListWeights(config).size(), 108u);
  EXPECT_EQ(Parameters(config), 4'617'611);
}

TEST(WeightList, GivesTheShapesOfWan21) {
  std::map<std::string, Shape> shapes = Listed(DefaultConfig());
  const std::pair<std::string, Shape> expected[] = {
      {"post_quant_conv.weight", {16, 16, 1, 1, 1}},
      {"post_quant_conv.bias", {16}},
      {"decoder.conv_in.weight", {384, 16, 3, 3, 3}},
      {"decoder.mid_block.resnets.1.norm1.gamma", {384, 1, 1, 1}},
      {"decoder.mid_block.attentions.0.norm.gamma", {384, 1, 1}},
      {"decoder.mid_block.attentions.0.to_qkv.weight", {1152, 384, 1, 1}},
      {"decoder.mid_block.attentions.0.proj.bias", {384}},
      {"decoder.up_blocks.0.upsamplers.0.resample.1.weight", {192, 384, 3, 3}},
      {"decoder.up_blocks.0.upsamplers.0.time_conv.weight", {768, 384, 3, 1, 1}},
      {"decoder.up_blocks.1.resnets.0.norm1.gamma", {192, 1, 1, 1}},
      {"decoder.up_blocks.1.resnets.0.conv1.weight", {384, 192, 3, 3, 3}},
      {"decoder.up_blocks.1.resnets.0.conv_shortcut.weight", {384, 192, 1, 1, 1}},
      {"decoder.up_blocks.1.upsamplers.0.time_conv.bias", {768}},
      {"decoder.up_blocks.2.resnets.0.conv1.weight", {192, 192, 3, 3, 3}},
      {"decoder.up_blocks.2.upsamplers.0.resample.1.weight", {96, 192, 3, 3}},
      {"decoder.up_blocks.3.resnets.2.conv2.weight", {96, 96, 3, 3, 3}},
      {"decoder.norm_out.gamma", {96, 1, 1, 1}},
      {"decoder.conv_out.weight", {3, 96, 3, 3, 3}},
  };
  for (const auto& [name, shape] : expected) EXPECT_EQ(shapes.at(name), shape) << name;
  EXPECT_FALSE(shapes.contains("decoder.up_blocks.2.upsamplers.0.time_conv.weight"));
  EXPECT_FALSE(shapes.contains("decoder.up_blocks.2.resnets.0.conv_shortcut.weight"));
  EXPECT_FALSE(shapes.contains("decoder.up_blocks.3.upsamplers.0.resample.1.weight"));
}

TEST(WeightList, FollowsMultipliersFlagsAndBlocks) {
  ModelConfig config = DefaultConfig();
  config.base_width = 8;
  config.latent_channels = 5;
  config.multipliers = {2, 1, 3, 2};
  config.temporal_upsample = {false, true, true};
  config.res_blocks = 2;
  const std::map<std::string, Shape> shapes = Listed(config);
  EXPECT_EQ(shapes.at("decoder.conv_in.weight"), (Shape{16, 5, 3, 3, 3}));
  EXPECT_FALSE(shapes.contains("decoder.up_blocks.0.upsamplers.0.time_conv.weight"));
  EXPECT_EQ(shapes.at("decoder.up_blocks.1.resnets.0.conv_shortcut.weight"),
            (Shape{24, 8, 1, 1, 1}));
  EXPECT_FALSE(shapes.contains("decoder.up_blocks.1.resnets.2.conv1.weight"));
  EXPECT_EQ(shapes.at("decoder.up_blocks.2.upsamplers.0.time_conv.weight"),
            (Shape{16, 8, 3, 1, 1}));
  EXPECT_EQ(shapes.at("decoder.up_blocks.3.resnets.0.conv_shortcut.weight"),
            (Shape{16, 4, 1, 1, 1}));
  EXPECT_EQ(shapes.at("decoder.norm_out.gamma"), (Shape{16, 1, 1, 1}));
}

// The demo model was saved by diffusers itself.
TEST(WeightList, IsTheDecoderThatDiffusersSaved) {
  const SafetensorsFile file = SafetensorsFile::Open(
      CAUSEWAY_SOURCE_DIR "/deploy/demo/model/diffusion_pytorch_model.safetensors");
  std::map<std::string, Shape> saved;
  std::int64_t parameters = 0;
  for (const auto& [name, view] : file.tensors()) {
    parameters += view.element_count();
    if (MapDiffusersKey(name).kind == KeyMeaning::Kind::kWeight) saved.emplace(name, view.shape);
  }
  EXPECT_EQ(parameters, 3'602'371);  // the whole autoencoder
  ModelConfig config = DefaultConfig();
  config.base_width = 16;
  EXPECT_EQ(Listed(config), saved);
}

}  // namespace
}  // namespace causeway::decoder::wan21
