// SPDX-License-Identifier: Apache-2.0
#include "tests/support/model_files.h"

#include <sstream>
#include <stdexcept>
#include <utility>

#include "server/base/half.h"
#include "server/decoder/models/wan21/weight_list.h"

namespace causeway::test {
namespace {

float ValueAt(const std::string& name, std::size_t index) {
  std::uint32_t hash = static_cast<std::uint32_t>(index) * 2654435761u;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return static_cast<float>(static_cast<int>((hash >> 8) % 129) - 64) / 64.0f;
}

template <typename Element>
void Append(std::vector<std::byte>& bytes, Element element) {
  const auto* first = reinterpret_cast<const std::byte*>(&element);
  bytes.insert(bytes.end(), first, first + sizeof(Element));
}

std::string ReplacePrefix(const std::string& name, const std::string& from, const std::string& to) {
  return name.starts_with(from) ? to + name.substr(from.size()) : name;
}

std::vector<std::string> Split(const std::string& name) {
  std::vector<std::string> parts;
  std::istringstream stream(name);
  for (std::string part; std::getline(stream, part, '.');) parts.push_back(part);
  return parts;
}

std::string Join(const std::vector<std::string>& parts, std::size_t first) {
  std::string name = parts[first];
  for (std::size_t i = first + 1; i < parts.size(); ++i) name += "." + parts[i];
  return name;
}

std::string OriginalBlockPart(std::string part) {
  part = ReplacePrefix(part, "norm1.", "residual.0.");
  part = ReplacePrefix(part, "conv1.", "residual.2.");
  part = ReplacePrefix(part, "norm2.", "residual.3.");
  part = ReplacePrefix(part, "conv2.", "residual.6.");
  return ReplacePrefix(part, "conv_shortcut.", "shortcut.");
}

}  // namespace

std::vector<FileTensor> ModelTensors(const decoder::ModelConfig& config, TensorDtype dtype) {
  std::vector<FileTensor> tensors;
  for (const decoder::WeightSpec& spec : decoder::wan21::ListWeights(config)) {
    FileTensor tensor{spec.name, dtype, spec.shape, {}};
    const auto count = static_cast<std::size_t>(ElementCount(spec.shape).value());
    for (std::size_t index = 0; index < count; ++index) {
      const float value = ValueAt(spec.name, index);
      if (dtype == TensorDtype::kF32) Append(tensor.bytes, value);
      if (dtype == TensorDtype::kF16) Append(tensor.bytes, FloatToHalf(value));
      if (dtype == TensorDtype::kBF16) Append(tensor.bytes, FloatToBfloat16(value));
    }
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

std::string OriginalName(const std::string& diffusers_name, int res_blocks) {
  // Parts of the name between its dots: {"decoder", "up_blocks", "1", "resnets", "0", "norm1", ...}
  const std::vector<std::string> parts = Split(diffusers_name);
  const std::string module = parts.size() > 4 ? parts[1] + "." + parts[3] : "";
  if (module == "up_blocks.resnets") {
    const int index = std::stoi(parts[2]) * (res_blocks + 1) + std::stoi(parts[4]);
    return "decoder.upsamples." + std::to_string(index) + "." + OriginalBlockPart(Join(parts, 5));
  }
  if (module == "up_blocks.upsamplers") {
    const int index = std::stoi(parts[2]) * (res_blocks + 1) + res_blocks;
    return "decoder.upsamples." + std::to_string(index) + "." + Join(parts, 5);
  }
  if (diffusers_name.starts_with("decoder.mid_block.resnets.")) {
    return "decoder.middle." + std::to_string(2 * std::stoi(parts[3])) + "." +
           OriginalBlockPart(Join(parts, 4));
  }
  std::string name = ReplacePrefix(diffusers_name, "post_quant_conv.", "conv2.");
  name = ReplacePrefix(name, "quant_conv.", "conv1.");
  name = ReplacePrefix(name, "decoder.conv_in.", "decoder.conv1.");
  name = ReplacePrefix(name, "decoder.mid_block.attentions.0.", "decoder.middle.1.");
  name = ReplacePrefix(name, "decoder.norm_out.", "decoder.head.0.");
  return ReplacePrefix(name, "decoder.conv_out.", "decoder.head.2.");
}

std::vector<FileTensor> WithOriginalNames(std::vector<FileTensor> tensors, int res_blocks) {
  for (FileTensor& tensor : tensors) tensor.name = OriginalName(tensor.name, res_blocks);
  return tensors;
}

FileTensor& Find(std::vector<FileTensor>& tensors, const std::string& name) {
  for (FileTensor& tensor : tensors) {
    if (tensor.name == name) return tensor;
  }
  throw std::out_of_range("no tensor " + name);
}

void WriteModel(const std::string& path, const std::vector<FileTensor>& tensors) {
  std::vector<NamedTensor> named;
  for (const FileTensor& tensor : tensors) {
    named.push_back({tensor.name, {tensor.dtype, tensor.shape, tensor.bytes}});
  }
  WriteSafetensors(path, std::move(named));
}

}  // namespace causeway::test
