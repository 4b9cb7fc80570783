// SPDX-License-Identifier: Apache-2.0
#include "server/decoder/models/wan21/config_reader.h"

#include <string>

#include <gtest/gtest.h>

#include "server/decoder/models/wan21/config_limits.h"
#include "tests/support/test_folder.h"

namespace causeway::decoder::wan21 {
namespace {

/// The config.json of Wan 2.1 as it is published, with more fields before it.
std::string Wan21Json(const std::string& more = "") {
  return R"({"_class_name":"AutoencoderKLWan","_diffusers_version":"0.33.0.dev0",)" + more +
         R"("attn_scales":[],"base_dim":96,"dim_mult":[1,2,4,4],"dropout":0.0,)"
         R"("num_res_blocks":2,"temperal_downsample":[false,true,true],"z_dim":16})";
}

/// A config with nothing but the class and `fields`.
ModelConfig Read(const std::string& fields) {
  std::string text = R"({"_class_name":"AutoencoderKLWan")";
  if (!fields.empty()) text += "," + fields;
  return ReadConfig("c", ParseJson(text + "}"));
}

std::string ErrorOf(const std::string& fields) {
  return test::FileErrorOf([&] { Read(fields); });
}

TEST(ConfigReader, ReadsThePublishedWan21) {
  const ModelConfig config = ReadConfig("c", ParseJson(Wan21Json()));
  EXPECT_EQ(config.name, "");
  EXPECT_EQ(config.family, "wan21");
  EXPECT_EQ(config.base_width, 96);
  EXPECT_EQ(config.latent_channels, 16);
  EXPECT_EQ(config.multipliers, (std::vector<int>{1, 2, 4, 4}));
  EXPECT_EQ(config.temporal_upsample, (std::vector<bool>{true, true, false}));
  EXPECT_EQ(config.res_blocks, 3);
  EXPECT_EQ(config.latents_mean, DefaultConfig().latents_mean);
  EXPECT_EQ(config.latents_std, DefaultConfig().latents_std);
}

TEST(ConfigReader, FillsMissingFieldsAsDiffusersDoes) {
  const ModelConfig config = Read("");
  EXPECT_EQ(config.base_width, 96);
  EXPECT_EQ(config.multipliers, (std::vector<int>{1, 2, 4, 4}));
  EXPECT_EQ(config.res_blocks, 3);
}

TEST(ConfigReader, ReadsEveryFieldThatShapesTheDecoder) {
  const ModelConfig config =
      Read(R"("base_dim":24,"z_dim":2,"dim_mult":[2,1,3,4],"num_res_blocks":1,)"
           R"("temperal_downsample":[true,false,true],"latents_mean":[0.5,-1],)"
           R"("latents_std":[2,0.25],"patch_size":null,"is_residual":false,"in_channels":3,)"
           R"("out_channels":3,"scale_factor_spatial":8,"scale_factor_temporal":4)");
  EXPECT_EQ(config.base_width, 24);
  EXPECT_EQ(config.latent_channels, 2);
  EXPECT_EQ(config.multipliers, (std::vector<int>{2, 1, 3, 4}));
  EXPECT_EQ(config.res_blocks, 2);
  EXPECT_EQ(config.temporal_upsample, (std::vector<bool>{true, false, true}));
  EXPECT_EQ(config.latents_mean, (std::vector<double>{0.5, -1}));
  EXPECT_EQ(config.latents_std, (std::vector<double>{2, 0.25}));
}

TEST(ConfigReader, ReversesTheEncodersFlags) {
  EXPECT_EQ(Read(R"("temperal_downsample":[true,true,false])").temporal_upsample,
            (std::vector<bool>{false, true, true}));
}

TEST(ConfigReader, TakesTheDecodersWidthWhereItHasItsOwn) {
  EXPECT_EQ(Read(R"("base_dim":24,"decoder_base_dim":null)").base_width, 24);
  EXPECT_EQ(Read(R"("base_dim":24,"decoder_base_dim":32)").base_width, 32);
}

TEST(ConfigReader, AcceptsUnknownFieldsOnlyWhereTheyAreOff) {
  EXPECT_EQ(ErrorOf(R"("clip_output":false,"new_switch":null,"_name_or_path":"x")"), "");
  EXPECT_EQ(ErrorOf(R"("new_mode":"tanh")"),
            "c: unknown field 'new_mode': got \"tanh\", allowed: the fields of diffusers' "
            "AutoencoderKLWan");
  EXPECT_EQ(ErrorOf(R"("clip_output":true)"),
            "c: unknown field 'clip_output': got true, allowed: the fields of diffusers' "
            "AutoencoderKLWan");
}

TEST(ConfigReader, RefusesEveryFieldThatItCannotServe) {
  const std::string wan22 = " (this is a Wan 2.2 VAE, which is not supported; Wan 2.1's is)";
  const std::pair<std::string, std::string> cases[] = {
      {R"("is_residual":true)", "is_residual: got true, allowed: false" + wan22},
      {R"("is_residual":"no")", "is_residual: got \"no\", allowed: false" + wan22},
      {R"("patch_size":2)", "patch_size: got 2, allowed: null" + wan22},
      {R"("attn_scales":[0.5])", "attn_scales: got [0.5], allowed: [] (no attention in up stages)"},
      {R"("attn_scales":{})", "attn_scales: got {}, allowed: [] (no attention in up stages)"},
      {R"("dropout":1.5)", "dropout: got 1.5, allowed: a number from 0 to 1"},
      {R"("in_channels":12)", "in_channels: got 12, allowed: 3"},
      {R"("out_channels":4)", "out_channels: got 4, allowed: 3"},
      {R"("scale_factor_spatial":16)", "scale_factor_spatial: got 16, allowed: 8"},
      {R"("scale_factor_temporal":8)", "scale_factor_temporal: got 8, allowed: 4"},
      {R"("base_dim":0)", "base_dim: got 0, allowed: integers from 1 to 1024"},
      {R"("base_dim":1025)", "base_dim: got 1025, allowed: integers from 1 to 1024"},
      {R"("base_dim":96.0)", "base_dim: got 96.0, allowed: integers from 1 to 1024"},
      {R"("base_dim":"96")", "base_dim: got \"96\", allowed: integers from 1 to 1024"},
      {R"("decoder_base_dim":-1)", "decoder_base_dim: got -1, allowed: integers from 1 to 1024"},
      {R"("z_dim":129)", "z_dim: got 129, allowed: integers from 1 to 128"},
      {R"("z_dim":[16])", "z_dim: got [16], allowed: integers from 1 to 128"},
      {R"("dim_mult":[1,2,4])", "dim_mult: got [1,2,4], allowed: an array of 4"},
      {R"("dim_mult":4)", "dim_mult: got 4, allowed: an array of 4"},
      {R"("dim_mult":[1,2,4,17])", "dim_mult: got [1,2,4,17], allowed: integers from 1 to 16"},
      {R"("dim_mult":[1,2,true,4])", "dim_mult: got [1,2,true,4], allowed: integers from 1 to 16"},
      {R"("num_res_blocks":9)", "num_res_blocks: got 9, allowed: integers from 0 to 8"},
      {R"("temperal_downsample":[false,true])",
       "temperal_downsample: got [false,true], allowed: an array of 3"},
      {R"("temperal_downsample":[0,1,1])",
       "temperal_downsample: got [0,1,1], allowed: true and false"},
      {R"("temperal_downsample":[true,true,true])",
       "temperal_downsample: got [true,true,true], allowed: two times true, one time false (4 "
       "frames a latent)"},
      {R"("z_dim":2)", "latents_mean: got nothing, allowed: an array of 2"},
      {R"("z_dim":2,"latents_mean":[0,0])", "latents_std: got nothing, allowed: an array of 2"},
      {R"("latents_mean":[0,0])", "latents_mean: got [0,0], allowed: an array of 16"},
      {R"("z_dim":1,"latents_mean":["0"],"latents_std":[1])",
       "latents_mean: got \"0\", allowed: numbers from -1e+06 to 1e+06"},
      {R"("z_dim":1,"latents_mean":[0],"latents_std":[0])",
       "latents_std: got 0, allowed: numbers from 1e-06 to 1e+06"},
      {R"("z_dim":1,"latents_mean":[0],"latents_std":[-1.5])",
       "latents_std: got -1.5, allowed: numbers from 1e-06 to 1e+06"},
      {R"("base_dim":3,"dim_mult":[1,1,4,4])",
       "channels of a stage that upsamples: got 3 (base width 3 x multiplier 1), allowed: an even "
       "number"},
  };
  for (const auto& [fields, message] : cases) EXPECT_EQ(ErrorOf(fields), "c: " + message);
}

TEST(ConfigReader, RefusesAnotherClass) {
  const auto error = [](const std::string& text) {
    return test::FileErrorOf([&] { ReadConfig("c", ParseJson(text)); });
  };
  EXPECT_EQ(error("{}"), "c: _class_name: got nothing, allowed: AutoencoderKLWan");
  EXPECT_EQ(error("[]"), "c: _class_name: got nothing, allowed: AutoencoderKLWan");
  EXPECT_EQ(error(R"({"_class_name":"WanModel"})"),
            "c: _class_name: got \"WanModel\", allowed: AutoencoderKLWan");
}

}  // namespace
}  // namespace causeway::decoder::wan21
