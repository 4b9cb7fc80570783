// SPDX-License-Identifier: Apache-2.0
// Where the latents of a run come from: a file, or a random generator.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "server/base/safetensors.h"
#include "server/base/tensor_view.h"
#include "server/decoder/latent.h"
#include "server/decoder/types.h"

namespace causeway::bench {

class LatentSource {
 public:
  virtual ~LatentSource() = default;

  /// channels and latents, height and width of the latent grid.
  virtual const decoder::LatentShape& shape() const = 0;
  virtual decoder::LatentDomain domain() const = 0;

  /// Writes latent `index` (0-based), [channels, height, width]; `out` has that many elements.
  virtual void Read(int index, std::span<float> out) const = 0;
};

struct LatentFileOptions {
  std::string path;
  std::string key = "latents";
  decoder::LatentAxes axes = decoder::LatentAxes::kCthw;
  decoder::LatentDomain domain = decoder::LatentDomain::kNormalised;
};

/// A tensor of a safetensors file, F32, F16 or BF16, [C, T, h, w] or [T, C, h, w], where a leading
/// batch axis of 1 may stand before them. The file stays mapped, nothing is held.
class FileLatents : public LatentSource {
 public:
  /// `channels`: those of the model. Throws FileError: no such file or tensor (the message lists
  /// what is there), another element type, rank or number of channels.
  FileLatents(const LatentFileOptions& options, int channels);

  const decoder::LatentShape& shape() const override { return shape_; }
  decoder::LatentDomain domain() const override { return format_.domain; }

  /// Throws FileError for a value that is not finite.
  void Read(int index, std::span<float> out) const override;

 private:
  SafetensorsFile file_;
  decoder::LatentFormat format_;
  decoder::LatentShape shape_;
  std::span<const std::byte> payload_;
};

/// Standard normal values (random_latents.h), normalised.
class RandomLatents : public LatentSource {
 public:
  RandomLatents(std::uint64_t seed, const decoder::LatentShape& shape)
      : seed_(seed), shape_(shape) {}

  const decoder::LatentShape& shape() const override { return shape_; }
  decoder::LatentDomain domain() const override { return decoder::LatentDomain::kNormalised; }
  void Read(int index, std::span<float> out) const override;

 private:
  std::uint64_t seed_;
  decoder::LatentShape shape_;
};

}  // namespace causeway::bench
