// SPDX-License-Identifier: Apache-2.0
#include "server/decoder/models/wan21/key_map.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "server/decoder/models/wan21/config_limits.h"
#include "server/decoder/models/wan21/weight_list.h"
#include "tests/support/model_files.h"
#include "tests/support/test_folder.h"

namespace causeway::decoder::wan21 {
namespace {

using Kind = KeyMeaning::Kind;

/// The canonical name; "ignored" or "unknown" where the key has none.
std::string Mapped(std::string_view key, const ModelConfig& config = DefaultConfig()) {
  const KeyMeaning meaning = MapOriginalKey(config, key);
  if (meaning.kind == Kind::kIgnored) return "ignored";
  return meaning.kind == Kind::kUnknown ? "unknown" : meaning.name;
}

TEST(KeyMap, TranslatesTheNamesOfWan21) {
  const std::pair<std::string, std::string> pairs[] = {
      {"conv2.weight", "post_quant_conv.weight"},
      {"decoder.conv1.bias", "decoder.conv_in.bias"},
      {"decoder.middle.0.residual.0.gamma", "decoder.mid_block.resnets.0.norm1.gamma"},
      {"decoder.middle.0.residual.2.weight", "decoder.mid_block.resnets.0.conv1.weight"},
      {"decoder.middle.1.norm.gamma", "decoder.mid_block.attentions.0.norm.gamma"},
      {"decoder.middle.1.to_qkv.weight", "decoder.mid_block.attentions.0.to_qkv.weight"},
      {"decoder.middle.1.proj.bias", "decoder.mid_block.attentions.0.proj.bias"},
      {"decoder.middle.2.residual.6.bias", "decoder.mid_block.resnets.1.conv2.bias"},
      {"decoder.upsamples.0.residual.3.gamma", "decoder.up_blocks.0.resnets.0.norm2.gamma"},
      {"decoder.upsamples.2.residual.6.weight", "decoder.up_blocks.0.resnets.2.conv2.weight"},
      {"decoder.upsamples.3.resample.1.weight",
       "decoder.up_blocks.0.upsamplers.0.resample.1.weight"},
      {"decoder.upsamples.3.time_conv.bias", "decoder.up_blocks.0.upsamplers.0.time_conv.bias"},
      {"decoder.upsamples.4.shortcut.weight", "decoder.up_blocks.1.resnets.0.conv_shortcut.weight"},
      {"decoder.upsamples.11.resample.1.bias", "decoder.up_blocks.2.upsamplers.0.resample.1.bias"},
      {"decoder.upsamples.14.residual.2.weight", "decoder.up_blocks.3.resnets.2.conv1.weight"},
      {"decoder.head.0.gamma", "decoder.norm_out.gamma"},
      {"decoder.head.2.weight", "decoder.conv_out.weight"},
  };
  for (const auto& [original, canonical] : pairs) EXPECT_EQ(Mapped(original), canonical);
}

TEST(KeyMap, IsOneToOneOnEveryWeight) {
  for (const int res_blocks : {1, 2, 3, 5}) {
    ModelConfig config = DefaultConfig();
    config.res_blocks = res_blocks;
    std::set<std::string> originals;
    for (const WeightSpec& spec : ListWeights(config)) {
      const std::string original = test::OriginalName(spec.name, res_blocks);
      EXPECT_EQ(Mapped(original, config), spec.name);
      EXPECT_TRUE(originals.insert(original).second) << original << " for two weights";
    }
  }
}

TEST(KeyMap, IgnoresTheEncoder) {
  EXPECT_EQ(Mapped("encoder.conv1.weight"), "ignored");
  EXPECT_EQ(Mapped("encoder.downsamples.0.residual.0.gamma"), "ignored");
  EXPECT_EQ(Mapped("conv1.weight"), "ignored");
  EXPECT_EQ(MapDiffusersKey("encoder.conv_in.weight").kind, Kind::kIgnored);
  EXPECT_EQ(MapDiffusersKey("quant_conv.bias").kind, Kind::kIgnored);
}

TEST(KeyMap, DoesNotKnowOtherNames) {
  for (const char* key :
       {"", "x", "decoder", "decoder.", "decoder.conv2.weight", "decoder.middle.3.norm.gamma",
        "decoder.middle.0.residual.1.weight", "decoder.middle.0.norm1.gamma", "decoder.upsamples.",
        "decoder.upsamples.0", "decoder.upsamples.x.residual.0.gamma",
        "decoder.upsamples.00.residual.0.gamma", "decoder.upsamples.-1.residual.0.gamma",
        "decoder.upsamples.+1.residual.0.gamma", "decoder.upsamples.99999999999.residual.0.gamma",
        "decoder.upsamples.0.norm1.gamma", "decoder.upsamples.0.resample.1.weight",
        "decoder.head.1.weight", "decoder.conv_in.weight"}) {
    EXPECT_EQ(Mapped(key), "unknown") << key;
  }
}

TEST(KeyMap, KeepsDiffusersNames) {
  EXPECT_EQ(MapDiffusersKey("decoder.conv_in.weight").name, "decoder.conv_in.weight");
  EXPECT_EQ(MapDiffusersKey("anything").name, "anything");
}

TEST(KeyMap, TellsTheTwoNamingsApart) {
  const test::TestFolder folder;
  ModelConfig config = DefaultConfig();
  config.base_width = 2;
  const std::vector<test::FileTensor> tensors = test::ModelTensors(config);
  test::WriteModel(folder.Path("diffusers"), tensors);
  test::WriteModel(folder.Path("original"), test::WithOriginalNames(tensors));
  test::WriteModel(folder.Path("neither"), {{"latents", TensorDtype::kU8, {0}, {}}});
  const auto open = [&](const std::string& name) { return TensorFile::Open(folder.Path(name)); };
  EXPECT_TRUE(HasDiffusersNames(open("diffusers")));
  EXPECT_FALSE(HasOriginalNames(open("diffusers")));
  EXPECT_FALSE(HasDiffusersNames(open("original")));
  EXPECT_TRUE(HasOriginalNames(open("original")));
  EXPECT_FALSE(HasDiffusersNames(open("neither")));
  EXPECT_FALSE(HasOriginalNames(open("neither")));
}

}  // namespace
}  // namespace causeway::decoder::wan21
