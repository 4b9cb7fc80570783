// SPDX-License-Identifier: Apache-2.0
#include "server/decoder/models/load_model.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "server/base/failure.h"
#include "server/base/json.h"
#include "server/base/json_writer.h"
#include "server/base/mapped_file.h"
#include "server/base/safetensors.h"
#include "server/base/utf8.h"
#include "server/decoder/models/registry.h"
#include "server/decoder/weights/weight_check.h"

namespace causeway::decoder {
namespace {

namespace fs = std::filesystem;

constexpr char kConfigFile[] = "config.json";
constexpr char kWeightsFile[] = "diffusion_pytorch_model.safetensors";
constexpr char kWeightsIndexFile[] = "diffusion_pytorch_model.safetensors.index.json";
constexpr char kSharded[] =
    "lists weights in several files, which is not supported; allowed: one file";
constexpr std::size_t kMaxConfigBytes = 1 << 20;

bool Exists(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

// The last component that is a name: "vae" for "models/vae/", the folder's own name for ".". Links
// are not followed: a download cache links readable names to hashes.
std::string DisplayName(const fs::path& path, bool is_folder) {
  fs::path full = fs::absolute(path).lexically_normal();
  if (!full.has_filename()) full = full.parent_path();
  return (is_folder ? full.filename() : full.stem()).string();
}

JsonValue ReadJson(const std::string& path) {
  const MappedFile file(path);
  const std::span<const std::byte> bytes = file.bytes();
  if (bytes.size() > kMaxConfigBytes) {
    throw FileError(path, "size: got " + std::to_string(bytes.size()) +
                              " bytes, allowed: at most " + std::to_string(kMaxConfigBytes));
  }
  try {
    return ParseJson({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  } catch (const JsonError& error) {
    throw FileError(path, std::string("is not JSON, ") + error.what());
  }
}

const ModelFamily& FamilyOfConfig(const std::string& path, const JsonValue& config) {
  const JsonValue* value = config.Find("_class_name");
  std::string allowed;
  for (const ModelFamily& family : ModelFamilies()) {
    if (value != nullptr && value->string() != nullptr && *value->string() == family.config_class) {
      return family;
    }
    allowed += (allowed.empty() ? "" : ", ") + std::string(family.config_class);
  }
  throw FileError(path, "_class_name: got " + (value ? JsonExcerpt(*value) : "nothing") +
                            ", allowed: " + allowed);
}

LoadedModel Finish(const ModelFamily& family, ModelConfig config, WeightStore weights) {
  CheckWeights(weights, family.list_weights(config));
  return {std::move(config), std::move(weights)};
}

LoadedModel LoadDiffusers(const fs::path& config_path, const fs::path& weights_path) {
  const JsonValue json = ReadJson(config_path.string());
  const ModelFamily& family = FamilyOfConfig(config_path.string(), json);
  ModelConfig config = family.read_config(config_path.string(), json);
  WeightStore weights(TensorFile::Open(weights_path.string()), family.map_diffusers_key);
  return Finish(family, std::move(config), std::move(weights));
}

[[noreturn]] void RefuseFolder(const fs::path& folder) {
  if (!Exists(folder / kConfigFile)) {
    if (Exists(folder / "vae" / kConfigFile)) {
      throw FileError(folder.string(), "is a whole pipeline; give the folder of its VAE: " +
                                           (folder / "vae").string());
    }
    throw FileError(folder.string(), std::string("holds no ") + kConfigFile +
                                         "; allowed: a diffusers folder (" + kConfigFile + ", " +
                                         kWeightsFile +
                                         "), one safetensors file or one PyTorch checkpoint");
  }
  if (Exists(folder / kWeightsIndexFile)) {
    throw FileError((folder / kWeightsIndexFile).string(), kSharded);
  }
  const fs::path pickle = folder / "diffusion_pytorch_model.bin";
  if (Exists(pickle)) throw FileError(pickle.string(), std::string(kPytorchCheckpointProblem));
  throw FileError(folder.string(), std::string("holds no ") + kWeightsFile);
}

LoadedModel LoadFolder(const fs::path& folder) {
  if (!Exists(folder / kConfigFile) || !Exists(folder / kWeightsFile)) RefuseFolder(folder);
  return LoadDiffusers(folder / kConfigFile, folder / kWeightsFile);
}

[[noreturn]] void RefuseTensors(const TensorFile& file) {
  const std::string first =
      file.tensors().empty() ? "" : ", the first is " + Quote(file.tensors().begin()->first);
  throw FileError(file.path(), "holds no decoder of a known family: got " +
                                   std::to_string(file.tensors().size()) +
                                   (file.tensors().size() == 1 ? " tensor" : " tensors") + first +
                                   ", allowed: tensors named as in diffusers' AutoencoderKLWan or "
                                   "as in Wan2.1_VAE");
}

LoadedModel LoadFile(const fs::path& path) {
  if (path.string().ends_with(".index.json")) throw FileError(path.string(), kSharded);
  TensorFile file = TensorFile::Open(path.string());
  for (const ModelFamily& family : ModelFamilies()) {
    if (family.has_original_names(file)) {
      ModelConfig config = family.config_from_tensors(file);
      const auto map_key = [&](std::string_view key) {
        return family.map_original_key(config, key);
      };
      WeightStore weights(std::move(file), map_key);
      return Finish(family, std::move(config), std::move(weights));
    }
  }
  const auto has_diffusers_names = [&](const ModelFamily& family) {
    return family.has_diffusers_names(file);
  };
  if (!std::ranges::any_of(ModelFamilies(), has_diffusers_names)) RefuseTensors(file);
  const fs::path config_path = path.parent_path() / kConfigFile;
  if (!Exists(config_path)) {
    throw FileError(path.string(), "has diffusers' tensor names and needs its " +
                                       std::string(kConfigFile) + " beside it");
  }
  return LoadDiffusers(config_path, path);
}

}  // namespace

LoadedModel LoadModel(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) throw FileError(path, "no such file or folder");
  const bool is_folder = fs::is_directory(status);
  LoadedModel model = is_folder ? LoadFolder(path) : LoadFile(path);
  model.config.name = DisplayName(path, is_folder);
  return model;
}

}  // namespace causeway::decoder
