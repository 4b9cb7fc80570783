// SPDX-License-Identifier: Apache-2.0
#include "client/cli/decode_options.h"

#include <CLI/CLI.hpp>
#include <gtest/gtest.h>

namespace causeway::cli {
namespace {

DecodeOptions Parse(std::vector<std::string> arguments) {
  CLI::App app;
  DecodeOptions options;
  AddDecodeCommand(app, options);
  // CLI11 takes arguments from the back.
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  app.parse(reversed);
  return options;
}

DecodeOptions ParseWith(std::vector<std::string> more) {
  std::vector<std::string> arguments{"decode", "--model", "m", "--latents", "l"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return Parse(arguments);
}

TEST(DecodeOptions, HaveTheDefaultsOfADiffusionModelsLatents) {
  const DecodeOptions options = ParseWith({});
  EXPECT_EQ(options.server, "127.0.0.1:50051");
  EXPECT_EQ(AxesOf(options), LatentAxes::kCthw);
  EXPECT_EQ(DomainOf(options), v1::DOMAIN_NORMALISED);
  EXPECT_EQ(DtypeOf(options, v1::DTYPE_BF16), v1::DTYPE_BF16);
  EXPECT_EQ(LayoutOf(options).format, v1::PIXEL_FORMAT_RGB24);
  EXPECT_EQ(options.chunk, 3);
  EXPECT_EQ(options.pending, 2);
}

TEST(DecodeOptions, TakeEveryWord) {
  EXPECT_EQ(AxesOf(ParseWith({"--axes", "tchw"})), LatentAxes::kTchw);
  EXPECT_EQ(DomainOf(ParseWith({"--domain", "raw"})), v1::DOMAIN_RAW);
  EXPECT_EQ(DtypeOf(ParseWith({"--dtype", "f16"}), v1::DTYPE_F32), v1::DTYPE_F16);
  EXPECT_EQ(DtypeOf(ParseWith({"--dtype", "bf16"}), v1::DTYPE_F32), v1::DTYPE_BF16);
  EXPECT_EQ(DtypeOf(ParseWith({"--dtype", "f32"}), v1::DTYPE_F16), v1::DTYPE_F32);
  for (const PixelLayout& layout : PixelLayouts()) {
    EXPECT_EQ(LayoutOf(ParseWith({"--pixel-format", std::string(layout.name)})).format,
              layout.format);
  }
  EXPECT_EQ(DeliveryOf(ParseWith({})), v1::DELIVERY_MODE_BLOCK);
  EXPECT_EQ(DeliveryOf(ParseWith({"--delivery", "drop-oldest"})), v1::DELIVERY_MODE_DROP_OLDEST);
  const DecodeOptions flow =
      ParseWith({"--pace", "16", "--play", "12.5", "--credits", "8", "--fragment-bytes", "65536",
                 "--message-bytes", "4096", "--checksum"});
  EXPECT_EQ(flow.pace, 16);
  EXPECT_EQ(flow.play, 12.5);
  EXPECT_EQ(flow.credits, 8);
  EXPECT_EQ(flow.fragment_bytes, 65536);
  EXPECT_EQ(flow.message_bytes, 4096);
  EXPECT_TRUE(flow.checksum);
  EXPECT_EQ(ParseWith({"--out", "a.mp4", "--out", "b.png"}).outputs,
            (std::vector<std::string>{"a.mp4", "b.png"}));
}

TEST(DecodeOptions, RefuseWhatTheyDoNotKnow) {
  const std::vector<std::vector<std::string>> wrong{
      {"--axes", "thwc"},         {"--domain", "latent"},
      {"--dtype", "f64"},         {"--pixel-format", "rgb"},
      {"--chunk", "0"},           {"--fps", "0"},
      {"--fps", "nan"},           {"--bogus"},
      {"--chunk", "x"},           {"--pending", "0"},
      {"--connect-timeout", "0"}, {"--pace", "0"},
      {"--play", "nan"},          {"--delivery", "drop"},
      {"--credits", "0"},         {"--credits", "65"},
      {"--fragment-bytes", "1"},  {"--message-bytes", "0"}};
  for (const auto& arguments : wrong) {
    EXPECT_THROW(ParseWith(arguments), CLI::ParseError) << arguments.front();
  }
  EXPECT_THROW(Parse({"decode", "--model", "m"}), CLI::ParseError);
  EXPECT_THROW(Parse({"decode", "--latents", "l"}), CLI::ParseError);
}

}  // namespace
}  // namespace causeway::cli
