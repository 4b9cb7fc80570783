// SPDX-License-Identifier: Apache-2.0
// A file of named tensors in one of the formats that weights come in.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "server/base/safetensors.h"
#include "server/base/tensor_view.h"
#include "server/decoder/weights/torch_file/torch_file.h"

namespace causeway::decoder {

/// Move-only; its views stay valid when it is moved and end with it. Immutable, so any number of
/// threads may read it.
class TensorFile {
 public:
  /// A PyTorch checkpoint (.pth, .pt) or a safetensors file: its first bytes say which, whatever
  /// its name. Throws FileError as the format's own Open does.
  static TensorFile Open(const std::string& path);

  /// Implicit: a file of either format is a TensorFile.
  TensorFile(SafetensorsFile file) : file_(std::move(file)) {}
  TensorFile(TorchFile file) : file_(std::move(file)) {}

  const std::string& path() const;
  const TensorMap& tensors() const&;
  const TensorMap& tensors() && = delete;  // would dangle
  /// Null where there is none of that name.
  const TensorView* Find(std::string_view name) const&;
  const TensorView* Find(std::string_view name) && = delete;

 private:
  std::variant<SafetensorsFile, TorchFile> file_;
};

}  // namespace causeway::decoder
