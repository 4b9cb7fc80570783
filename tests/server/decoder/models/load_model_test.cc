// SPDX-License-Identifier: Apache-2.0
#include "server/decoder/models/load_model.h"

#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>

#include "server/decoder/models/registry.h"
#include "tests/support/model_files.h"
#include "tests/support/test_folder.h"
#include "tests/support/torch_files.h"

namespace causeway::decoder {
namespace {

namespace fs = std::filesystem;
using test::FileErrorOf;
using test::FileTensor;

constexpr char kDemo[] = CAUSEWAY_SOURCE_DIR "/deploy/demo/model";
constexpr char kWeights[] = "diffusion_pytorch_model.safetensors";
constexpr char kSmallJson[] = R"({"_class_name":"AutoencoderKLWan","base_dim":2})";

ModelConfig Small() {
  ModelConfig config = BuiltInModels().front();
  config.base_width = 2;
  return config;
}

std::string ErrorOf(const std::string& path) {
  return FileErrorOf([&] { LoadModel(path); });
}

/// Every weight of the model as fp32, in the order of the family's list.
std::vector<std::vector<float>> AllFloats(const LoadedModel& model) {
  std::vector<std::vector<float>> floats;
  for (const WeightSpec& spec : FindFamily(model.config.family).list_weights(model.config)) {
    floats.push_back(model.weights.ReadFloats(spec.name));
  }
  return floats;
}

/// What torch.save writes for these tensors, each F32.
std::string CheckpointOf(const std::vector<FileTensor>& tensors) {
  std::vector<test::ZipItem> items(1);
  std::string pickle;
  for (const FileTensor& tensor : tensors) {
    const std::string key = std::to_string(items.size());
    test::TensorPickle parts;
    parts.key = test::pickle::Text(key);
    std::string shape;
    std::string strides;
    auto count = static_cast<std::int32_t>(ElementCount(tensor.shape).value());
    parts.storage_count = test::pickle::Integer(count);
    for (const std::int64_t extent : tensor.shape) {
      count /= static_cast<std::int32_t>(extent);
      shape += test::pickle::Integer(static_cast<std::int32_t>(extent));
      strides += test::pickle::Integer(count);
    }
    parts.shape = test::pickle::Tuple(shape);
    parts.strides = test::pickle::Tuple(strides);
    pickle += test::pickle::Text(tensor.name) + parts.Bytes();
    items.push_back({"archive/data/" + key,
                     {reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size()}});
  }
  items[0] = {"archive/data.pkl", test::pickle::Start() + test::pickle::Dict(pickle) + "."};
  return test::MakeZip(items).bytes;
}

class LoadModelTest : public testing::Test {
 protected:
  /// A diffusers folder of the small model; returns its path.
  std::string WriteFolder(const std::string& name, TensorDtype dtype = TensorDtype::kF32,
                          const std::string& json = kSmallJson) const {
    fs::create_directories(folder_.Path(name));
    folder_.Write(name + "/config.json", json);
    test::WriteModel(folder_.Path(name + "/" + kWeights), test::ModelTensors(Small(), dtype));
    return folder_.Path(name);
  }

  test::TestFolder folder_;
};

TEST_F(LoadModelTest, LoadsTheDemoModel) {
  const LoadedModel model = LoadModel(kDemo);
  EXPECT_EQ(model.config.name, "model");
  EXPECT_EQ(model.config.base_width, 16);
  EXPECT_EQ(model.config.latents_mean.front(), -0.01459);
  EXPECT_EQ(model.config.latents_std.back(), 0.862941);
  std::int64_t listed = 0;
  const auto specs = FindFamily(model.config.family).list_weights(model.config);
  for (const WeightSpec& spec : specs) listed += ElementCount(spec.shape).value();
  EXPECT_EQ(model.weights.tensors().size(), specs.size());
  EXPECT_EQ(model.weights.parameter_count(), listed);
  EXPECT_EQ(model.weights.total_bytes(), 2 * listed);  // bf16
}

TEST_F(LoadModelTest, LoadsTheDemoModelUnderItsOriginalNames) {
  const LoadedModel demo = LoadModel(kDemo);
  std::vector<FileTensor> tensors;
  const SafetensorsFile file = SafetensorsFile::Open(std::string(kDemo) + "/" + kWeights);
  for (const auto& [name, view] : file.tensors()) {
    tensors.push_back(
        {test::OriginalName(name), view.dtype, view.shape, {view.bytes.begin(), view.bytes.end()}});
  }
  test::WriteModel(folder_.Path("demo_original.safetensors"), tensors);
  // The repository of the original weights has a config.json beside them: of another model.
  folder_.Write("config.json", R"({"_class_name":"WanModel"})");
  const LoadedModel model = LoadModel(folder_.Path("demo_original.safetensors"));
  EXPECT_EQ(model.config.name, "demo_original");
  EXPECT_EQ(model.config.base_width, demo.config.base_width);
  EXPECT_EQ(model.config.multipliers, demo.config.multipliers);
  EXPECT_EQ(model.config.temporal_upsample, demo.config.temporal_upsample);
  EXPECT_EQ(model.config.res_blocks, demo.config.res_blocks);
  EXPECT_EQ(model.config.latents_mean, BuiltInModels().front().latents_mean);
  EXPECT_EQ(AllFloats(model), AllFloats(demo));
}

TEST_F(LoadModelTest, LoadsAnOriginalFileThatTorchSaved) {
  const std::vector<FileTensor> tensors = test::WithOriginalNames(test::ModelTensors(Small()));
  test::WriteModel(folder_.Path("twin.safetensors"), tensors);
  for (const char* name : {"Wan2.1_VAE.pth", "x.pt"}) {
    const LoadedModel model = LoadModel(folder_.Write(name, CheckpointOf(tensors)));
    EXPECT_EQ(model.config.name, fs::path(name).stem());
    EXPECT_EQ(model.config.base_width, 2);
    EXPECT_EQ(AllFloats(model), AllFloats(LoadModel(folder_.Path("twin.safetensors"))));
  }
}

TEST_F(LoadModelTest, NamesMissingTensorsOfACheckpoint) {
  std::vector<FileTensor> tensors = test::WithOriginalNames(test::ModelTensors(Small()));
  std::erase_if(tensors,
                [](const FileTensor& tensor) { return tensor.name == "decoder.head.2.bias"; });
  const std::string path = folder_.Write("x.pth", CheckpointOf(tensors));
  EXPECT_EQ(ErrorOf(path), path + ": weights refused (1 tensor): missing decoder.conv_out.bias");
}

TEST_F(LoadModelTest, GivesTheSameFloatsFromEachWeightType) {
  const LoadedModel f32 = LoadModel(WriteFolder("f32", TensorDtype::kF32));
  const LoadedModel f16 = LoadModel(WriteFolder("f16", TensorDtype::kF16));
  const LoadedModel bf16 = LoadModel(WriteFolder("bf16", TensorDtype::kBF16));
  EXPECT_EQ(AllFloats(f32), AllFloats(f16));
  EXPECT_EQ(AllFloats(f32), AllFloats(bf16));
  EXPECT_EQ(f32.weights.total_bytes(), 2 * bf16.weights.total_bytes());
}

TEST_F(LoadModelTest, TakesTheConfigBesideASingleDiffusersFile) {
  const std::string file = WriteFolder("m") + "/" + kWeights;
  fs::rename(file, folder_.Path("m/other.safetensors"));
  const LoadedModel model = LoadModel(folder_.Path("m/other.safetensors"));
  EXPECT_EQ(model.config.name, "other");
  EXPECT_EQ(model.config.base_width, 2);
  fs::remove(folder_.Path("m/config.json"));
  EXPECT_EQ(ErrorOf(folder_.Path("m/other.safetensors")),
            folder_.Path("m/other.safetensors") +
                ": has diffusers' tensor names and needs its config.json beside it");
}

TEST_F(LoadModelTest, NamesTheModelAfterItsFolderHoweverItIsWritten) {
  const std::string folder = WriteFolder("my model");
  for (const char* suffix : {"", "/", "/.", "//", "/../my model"}) {
    EXPECT_EQ(LoadModel(folder + suffix).config.name, "my model") << suffix;
  }
}

TEST_F(LoadModelTest, SaysWhatIsWrongWithAPath) {
  EXPECT_EQ(ErrorOf(folder_.Path("no")), folder_.Path("no") + ": no such file or folder");
  EXPECT_EQ(ErrorOf(""), ": no such file or folder");
  EXPECT_EQ(ErrorOf(folder_.Write("e.safetensors", "")),
            folder_.Path("e.safetensors") + ": is empty");
  EXPECT_EQ(
      ErrorOf(folder_.Write("Wan2.1_VAE.pth", "PK\x03\x04")),
      folder_.Path("Wan2.1_VAE.pth") + ": has no zip directory at its end (is it truncated?)");
  EXPECT_EQ(
      ErrorOf(folder_.Write("old.pth", "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8P\x19.")),
      folder_.Path("old.pth") +
          ": is a PyTorch checkpoint of the format before PyTorch 1.6, which is not "
          "supported: load it and save it again with torch.save, or convert to safetensors");
  EXPECT_EQ(ErrorOf(folder_.Write("x.safetensors.index.json", "{}")),
            folder_.Path("x.safetensors.index.json") +
                ": lists weights in several files, which is not supported; allowed: one "
                "file");
  test::WriteModel(folder_.Path("latents.safetensors"), {{"latents", TensorDtype::kU8, {0}, {}}});
  EXPECT_EQ(ErrorOf(folder_.Path("latents.safetensors")),
            folder_.Path("latents.safetensors") +
                ": holds no decoder of a known family: got 1 tensor, the first is 'latents', "
                "allowed: tensors named as in diffusers' AutoencoderKLWan or as in Wan2.1_VAE");
}

TEST_F(LoadModelTest, SaysWhatIsWrongWithAFolder) {
  const std::string folder = WriteFolder("m");
  fs::rename(folder + "/" + kWeights, folder_.Path("weights"));
  EXPECT_EQ(ErrorOf(folder), folder + ": holds no diffusion_pytorch_model.safetensors");
  folder_.Write("m/diffusion_pytorch_model.bin", "x");
  EXPECT_EQ(ErrorOf(folder),
            folder +
                "/diffusion_pytorch_model.bin: is a PyTorch checkpoint (pickle), which is "
                "not readable here: convert to safetensors");
  folder_.Write("m/diffusion_pytorch_model.safetensors.index.json", "{}");
  EXPECT_EQ(ErrorOf(folder),
            folder +
                "/diffusion_pytorch_model.safetensors.index.json: lists weights in several "
                "files, which is not supported; allowed: one file");
  fs::remove(folder + "/config.json");
  EXPECT_EQ(ErrorOf(folder),
            folder +
                ": holds no config.json; allowed: a diffusers folder (config.json, "
                "diffusion_pytorch_model.safetensors), one safetensors file or one PyTorch "
                "checkpoint");
  fs::create_directories(folder + "/vae");
  folder_.Write("m/vae/config.json", kSmallJson);
  EXPECT_EQ(ErrorOf(folder),
            folder + ": is a whole pipeline; give the folder of its VAE: " + folder + "/vae");
}

TEST_F(LoadModelTest, SaysWhatIsWrongWithAConfig) {
  const auto error = [&](const std::string& json) {
    return ErrorOf(WriteFolder("m", TensorDtype::kF32, json));
  };
  const std::string config = folder_.Path("m/config.json");
  EXPECT_EQ(error(""), config + ": is empty");
  EXPECT_EQ(error("{,}"),
            config + ": is not JSON, byte 1: got ',', expected a name in double quotes");
  EXPECT_EQ(error("{}"), config + ": _class_name: got nothing, allowed: AutoencoderKLWan");
  EXPECT_EQ(error(R"({"_class_name":"AutoencoderKL"})"),
            config + ": _class_name: got \"AutoencoderKL\", allowed: AutoencoderKLWan");
  EXPECT_EQ(error(R"({"_class_name":"AutoencoderKLWan","z_dim":0})"),
            config + ": z_dim: got 0, allowed: integers from 1 to 128");
  EXPECT_EQ(error(std::string((1 << 20) + 1, ' ')),
            config + ": size: got 1048577 bytes, allowed: at most 1048576");
}

TEST_F(LoadModelTest, RefusesAConfigThatIsNotThatOfTheWeights) {
  const std::string folder =
      WriteFolder("m", TensorDtype::kF32, R"({"_class_name":"AutoencoderKLWan","base_dim":4})");
  const std::string message = ErrorOf(folder);
  // All of the 108 but post_quant_conv's two and conv_out.bias depend on the base width.
  EXPECT_TRUE(message.starts_with(
      folder + "/" + kWeights +
      ": weights refused (105 tensors): wrong shape decoder.conv_in.weight got [8, 16, 3, 3, 3], "
      "allowed: [16, 16, 3, 3, 3], "))
      << message;
  EXPECT_TRUE(message.ends_with(" and 93 more")) << message;
}

TEST_F(LoadModelTest, NamesMissingAndUnknownTensorsOfAnOriginalFile) {
  std::vector<FileTensor> tensors = test::WithOriginalNames(test::ModelTensors(Small()));
  std::erase_if(tensors, [](const FileTensor& tensor) {
    return tensor.name == "decoder.upsamples.3.time_conv.weight" ||
           tensor.name == "decoder.head.2.bias";
  });
  tensors.push_back({"decoder.middle.3.gamma", TensorDtype::kF32, {0}, {}});
  const std::string path = folder_.Path("x.safetensors");
  test::WriteModel(path, tensors);
  EXPECT_EQ(ErrorOf(path),
            path +
                ": weights refused (3 tensors): missing "
                "decoder.up_blocks.0.upsamplers.0.time_conv.weight, decoder.conv_out.bias; not "
                "expected 'decoder.middle.3.gamma'");
}

TEST_F(LoadModelTest, RefusesATruncatedWeightFileAtAnyLength) {
  const std::string folder = WriteFolder("m");
  const std::string file = folder + "/" + kWeights;
  const std::uintmax_t size = fs::file_size(file);
  for (const std::uintmax_t length : {size - 1, size / 2, std::uintmax_t{9000}, std::uintmax_t{8},
                                      std::uintmax_t{7}, std::uintmax_t{1}}) {
    fs::resize_file(file, length);
    const std::string message = ErrorOf(folder);
    EXPECT_TRUE(message.starts_with(file + ": ")) << length;
    EXPECT_TRUE(message.ends_with("(is it truncated?)") || length == 8) << message;
  }
}

}  // namespace
}  // namespace causeway::decoder
