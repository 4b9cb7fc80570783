// SPDX-License-Identifier: Apache-2.0
// A PyTorch checkpoint (.pth, .pt) as a mapped file. What may be in it is checkpoint.h.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "server/base/mapped_file.h"
#include "server/decoder/weights/torch_file/checkpoint.h"

namespace causeway::decoder {

/// A file whose every length, offset, size, type and name has been checked. Move-only; its views
/// stay valid when it is moved and end with it. Immutable, so any number of threads may read it.
class TorchFile {
 public:
  /// Whether it starts like a checkpoint of torch.save, of today's format or of the older one.
  /// No safetensors file does: its header would be longer than kMaxSafetensorsHeaderBytes.
  static bool LooksLike(std::span<const std::byte> file);

  /// Maps the file. Throws FileError with what is wrong, also for the format before PyTorch 1.6.
  static TorchFile Open(const std::string& path);

  const std::string& path() const { return path_; }
  const TensorMap& tensors() const& { return tensors_; }
  const TensorMap& tensors() && = delete;  // would dangle

 private:
  TorchFile(std::string path, MappedFile file);

  std::string path_;
  MappedFile file_;
  TensorMap tensors_;
};

}  // namespace causeway::decoder
