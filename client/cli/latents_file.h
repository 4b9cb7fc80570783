// SPDX-License-Identifier: Apache-2.0
// Latents of one video in a safetensors file, cut into the payloads of chunks.
#pragma once

#include <cstdint>
#include <string>

#include "causeway/v1/decode.pb.h"
#include "server/base/safetensors.h"

namespace causeway::cli {

/// The order of the axes of a latents tensor: channel, time, height, width.
enum class LatentAxes { kCthw, kTchw };

/// "cthw", "tchw".
std::string AxesName(LatentAxes axes);

/// A checked tensor of latents: [C, T, h, w] or [T, C, h, w] (or 5-D with a leading 1), F32, F16 or
/// BF16. Immutable.
class LatentsFile {
 public:
  /// Throws FileError: a file that is no safetensors file, no tensor `key` (the message lists those
  /// that are there), a shape or type that latents do not have.
  LatentsFile(const std::string& path, const std::string& key, LatentAxes axes);

  std::int64_t channels() const { return extent(axes_ == LatentAxes::kCthw ? 0 : 1); }
  std::int64_t latents() const { return extent(axes_ == LatentAxes::kCthw ? 1 : 0); }
  /// Of the latent grid: an eighth of the picture's.
  std::int64_t height() const { return extent(2); }
  std::int64_t width() const { return extent(3); }
  LatentAxes axes() const { return axes_; }
  v1::Dtype dtype() const { return dtype_; }

  /// Throws FileError where the model has another number of latent channels; where the other order
  /// of axes would fit, the message says so.
  void CheckChannels(std::int64_t model_channels) const;

  /// `count` latents from `first` on, in the file's axes, as `dtype`. Narrowing rounds to nearest.
  std::string Chunk(std::int64_t first, std::int64_t count, v1::Dtype dtype) const;

 private:
  std::int64_t extent(std::size_t axis) const { return shape_[axis]; }

  SafetensorsFile file_;
  std::string key_;
  LatentAxes axes_;
  std::vector<std::int64_t> shape_;  // four extents
  std::span<const std::byte> bytes_;
  v1::Dtype dtype_ = v1::DTYPE_UNSPECIFIED;
};

}  // namespace causeway::cli
