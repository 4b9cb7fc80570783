// SPDX-License-Identifier: Apache-2.0
// Reads the safetensors file format: 8 bytes of header length (little endian), a JSON header
// {"name": {"dtype", "shape", "data_offsets": [begin, end]}, "__metadata__": {...}}, then the
// data. Format: https://github.com/huggingface/safetensors, README "Format".
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "server/base/mapped_file.h"
#include "server/base/tensor_view.h"

namespace causeway {

/// Longest header that is read. A header takes about 130 bytes a tensor, so this is far above any
/// checkpoint, and it bounds what a hostile file can make the reader allocate.
inline constexpr std::uint64_t kMaxSafetensorsHeaderBytes = 8ull << 20;

/// A file whose every length, offset, size, type and name has been checked. Move-only; its views
/// stay valid when it is moved and end with it. Immutable, so any number of threads may read it.
class SafetensorsFile {
 public:
  /// Maps the file. Throws FileError with what is wrong and, for a file of another kind (a
  /// PyTorch checkpoint, a Git LFS pointer, a web page, ...), what it looks like.
  static SafetensorsFile Open(const std::string& path);

  const std::string& path() const { return path_; }
  const std::map<std::string, TensorView, std::less<>>& tensors() const& { return tensors_; }
  const std::map<std::string, TensorView, std::less<>>& tensors() && = delete;  // would dangle
  /// Null where there is none of that name.
  const TensorView* Find(std::string_view name) const&;
  const TensorView* Find(std::string_view name) && = delete;
  const std::map<std::string, std::string, std::less<>>& metadata() const { return metadata_; }

 private:
  SafetensorsFile(std::string path, MappedFile file);

  std::string path_;
  MappedFile file_;
  std::map<std::string, TensorView, std::less<>> tensors_;
  std::map<std::string, std::string, std::less<>> metadata_;
};

/// What is said of a PyTorch checkpoint where only safetensors is read. Models may come in one: see
/// server/decoder/weights/tensor_file.h.
inline constexpr std::string_view kPytorchCheckpointProblem =
    "is a PyTorch checkpoint (pickle), which is not readable here: convert to safetensors";

}  // namespace causeway
