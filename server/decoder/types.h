// SPDX-License-Identifier: Apache-2.0
// What the decoder and its callers tell each other. No LibTorch type appears here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace causeway::decoder {

/// The size of the output picture in pixels. Latents have an eighth of it each way.
struct Geometry {
  int height = 0;
  int width = 0;
  bool operator==(const Geometry&) const = default;
};

/// "704x1280": height x width, as everywhere in this project.
std::string ToString(const Geometry& geometry);

/// The element type of latents as they arrive; always little endian.
enum class LatentDtype { kF32, kF16, kBF16 };

/// The order of the axes of a chunk of T latents, outermost first.
enum class LatentAxes { kCthw, kTchw };

/// Whether the model's mean and standard deviation are still to be applied (kNormalised, what a
/// diffusion model emits) or already are (kRaw, what diffusers' AutoencoderKLWan.decode takes).
enum class LatentDomain { kNormalised, kRaw };

struct LatentFormat {
  LatentDtype dtype = LatentDtype::kF32;
  LatentAxes axes = LatentAxes::kCthw;
  LatentDomain domain = LatentDomain::kNormalised;
};

/// The kernel categories: a closed list, the same on every backend. The first five are those of
/// the seed profile.
enum class Category {
  kConvolutionOrGemm,
  kElementwiseAdd,
  kLayoutConversion,
  kWorkspaceInit,
  kExplicitCopy,
  kNormActivation,
  kUpsample,
  kAttention,
  kCacheIo,
  kPostprocess,
  kTransferH2d,
  kTransferD2h,
  kCollective,
  kIdleGap,
  kOther,
};
inline constexpr int kCategoryCount = 15;

/// "convolution_or_gemm" and so on: the label value of the metric.
const char* CategoryName(Category category);

/// The part of the decoder that a step belongs to.
enum class Block { kMid, kUp0, kUp1, kUp2, kUp3, kHead };
inline constexpr int kBlockCount = 6;

/// "mid", "up0", ..., "head".
const char* BlockName(Block block);

}  // namespace causeway::decoder
