// SPDX-License-Identifier: Apache-2.0
#include "server/decoder/models/wan21/tensor_config.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "server/decoder/models/wan21/config_limits.h"
#include "tests/support/model_files.h"
#include "tests/support/test_folder.h"

namespace causeway::decoder::wan21 {
namespace {

using test::FileErrorOf;
using test::FileTensor;

ModelConfig Small() {
  ModelConfig config = DefaultConfig();
  config.base_width = 2;
  return config;
}

class TensorConfigTest : public testing::Test {
 protected:
  ModelConfig Read(const std::vector<FileTensor>& tensors) const {
    test::WriteModel(path_, tensors);
    return ConfigFromTensors(TensorFile::Open(path_));
  }

  std::string ErrorOf(const std::vector<FileTensor>& tensors) const {
    return FileErrorOf([&] { Read(tensors); });
  }

  test::TestFolder folder_;
  std::string path_ = folder_.Path("x.safetensors");
};

std::vector<FileTensor> Originals(const ModelConfig& config) {
  return test::WithOriginalNames(test::ModelTensors(config), config.res_blocks);
}

void Resize(FileTensor& tensor, std::vector<std::int64_t> shape) {
  tensor.bytes.resize(
      static_cast<std::size_t>(ElementCount(shape).value() * TensorDtypeBytes(tensor.dtype)));
  tensor.shape = std::move(shape);
}

TEST_F(TensorConfigTest, FindsEveryFieldInTheShapes) {
  ModelConfig wide = Small();
  wide.base_width = 6;
  ModelConfig other = Small();
  other.multipliers = {1, 3, 2, 5};
  other.temporal_upsample = {false, true, true};
  other.res_blocks = 2;
  ModelConfig middle = Small();
  middle.temporal_upsample = {true, false, true};
  middle.res_blocks = 1;
  for (const ModelConfig& config : {Small(), wide, other, middle}) {
    const ModelConfig read = Read(Originals(config));
    EXPECT_EQ(read.family, "wan21");
    EXPECT_EQ(read.base_width, config.base_width);
    EXPECT_EQ(read.multipliers, config.multipliers);
    EXPECT_EQ(read.temporal_upsample, config.temporal_upsample);
    EXPECT_EQ(read.res_blocks, config.res_blocks);
    EXPECT_EQ(read.latent_channels, 16);
    EXPECT_EQ(read.latents_mean, DefaultConfig().latents_mean);
    EXPECT_EQ(read.latents_std, DefaultConfig().latents_std);
  }
}

// So that the weight check names what is missing instead of this reader guessing another model.
TEST_F(TensorConfigTest, AssumesWan21WhereATensorIsMissing) {
  for (const char* missing :
       {"decoder.upsamples.3.time_conv.weight", "decoder.upsamples.3.time_conv.bias",
        "decoder.upsamples.0.residual.2.weight", "decoder.upsamples.4.residual.2.weight",
        "decoder.upsamples.3.resample.1.weight", "conv2.weight", "decoder.head.2.weight"}) {
    std::vector<FileTensor> tensors = Originals(Small());
    std::erase_if(tensors, [&](const FileTensor& tensor) { return tensor.name == missing; });
    const ModelConfig read = Read(tensors);
    EXPECT_EQ(read.base_width, 2) << missing;
    EXPECT_EQ(read.multipliers, Small().multipliers) << missing;
    EXPECT_EQ(read.temporal_upsample, Small().temporal_upsample) << missing;
    EXPECT_EQ(read.res_blocks, 3) << missing;
  }
  std::vector<FileTensor> tensors = Originals(Small());
  std::erase_if(tensors, [](const FileTensor& tensor) {
    return tensor.name.starts_with("decoder.upsamples.3.");
  });
  EXPECT_EQ(Read(tensors).temporal_upsample, Small().temporal_upsample);
  EXPECT_EQ(Read(tensors).res_blocks, 3);
}

TEST_F(TensorConfigTest, RefusesExtentsBeyondTheLimits) {
  std::vector<FileTensor> tensors = Originals(Small());
  Resize(test::Find(tensors, "decoder.head.0.gamma"), {1025, 1, 1, 1});
  EXPECT_EQ(ErrorOf(tensors), path_ +
                                  ": tensor decoder.head.0.gamma: got shape [1025, 1, 1, 1], "
                                  "allowed: a first extent from 1 to 1024");
  Resize(test::Find(tensors, "decoder.head.0.gamma"), {});
  EXPECT_EQ(ErrorOf(tensors), path_ +
                                  ": tensor decoder.head.0.gamma: got shape [], allowed: a first "
                                  "extent from 1 to 1024");
  Resize(test::Find(tensors, "decoder.head.0.gamma"), {0, 4});
  EXPECT_EQ(ErrorOf(tensors), path_ +
                                  ": tensor decoder.head.0.gamma: got shape [0, 4], allowed: a "
                                  "first extent from 1 to 1024");
}

TEST_F(TensorConfigTest, RefusesLatentsWhoseStatisticsNobodyKnows) {
  ModelConfig config = Small();
  config.latent_channels = 4;
  EXPECT_EQ(ErrorOf(Originals(config)),
            path_ +
                ": latent channels (tensor conv2.weight): got 4, allowed: 16 (others only as "
                "a diffusers folder, whose config.json has their mean and standard "
                "deviation)");
}

TEST_F(TensorConfigTest, RefusesTheWan22Vae) {
  std::vector<FileTensor> tensors = Originals(Small());
  tensors.push_back(
      {"decoder.upsamples.0.upsamples.0.residual.0.gamma", TensorDtype::kU8, {0}, {}});
  EXPECT_EQ(ErrorOf(tensors), path_ +
                                  ": is a Wan 2.2 VAE (residual up stages), which is not "
                                  "supported; Wan 2.1's is");
}

}  // namespace
}  // namespace causeway::decoder::wan21
