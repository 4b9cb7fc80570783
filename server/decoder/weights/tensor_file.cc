// SPDX-License-Identifier: Apache-2.0
#include "server/decoder/weights/tensor_file.h"

#include "server/base/mapped_file.h"

namespace causeway::decoder {

TensorFile TensorFile::Open(const std::string& path) {
  if (TorchFile::LooksLike(MappedFile(path).bytes())) return TorchFile::Open(path);
  return SafetensorsFile::Open(path);
}

const std::string& TensorFile::path() const {
  return std::visit(
      [](const auto& file) -> const auto& { return file.path(); }, file_);
}

const TensorMap& TensorFile::tensors() const& {
  return std::visit(
      [](const auto& file) -> const auto& { return file.tensors(); }, file_);
}

const TensorView* TensorFile::Find(std::string_view name) const& {
  const auto found = tensors().find(name);
  return found == tensors().end() ? nullptr : &found->second;
}

}  // namespace causeway::decoder
