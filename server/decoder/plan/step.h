// SPDX-License-Identifier: Apache-2.0
// The vocabulary of a plan: the decoder's graph for one geometry as a list of steps.
//
// A step is one convolution (or the attention core) together with everything that follows it on
// its way to memory: bias, residual, and the RMS norm and SiLU of the layer that reads it next.
// That is the unit which a fused kernel executes; a backend of plain operations executes the parts
// one by one. Steps pass numbered values to each other; the causal history of a convolution is in
// the cache slot that the step names.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "server/decoder/types.h"

namespace causeway::decoder {

/// The first latent of a session is another function than the later ones: one frame comes out,
/// both time convolutions are skipped and leave their slots alone, and as all history is zero only
/// the newest tap in time of every causal convolution counts.
enum class Phase { kFirstLatent, kLaterLatent };

const char* PhaseName(Phase phase);

/// An activation [frames, height, width, channels]; there is no batch axis.
struct ActivationShape {
  int frames = 0;
  int height = 0;
  int width = 0;
  int channels = 0;

  std::int64_t elements() const { return std::int64_t{frames} * height * width * channels; }
  bool operator==(const ActivationShape&) const = default;
};

/// Taps of a convolution in time, y and x, as the weights hold them.
struct KernelExtent {
  int time = 1;
  int height = 1;
  int width = 1;
  bool operator==(const KernelExtent&) const = default;
};

enum class StepKind {
  kUnnormalise,  // z * std + mean per channel (normalised latents only), then a 1x1x1 convolution
  kCausalConv,   // 3x3x3, zero padding 1 in space, two frames of history in time
  kPointwise,    // 1x1 over channels: the shortcut of a residual block, attention's qkv and proj
  kAttention,    // per frame softmax(q k^T / sqrt(channels)) v over all positions, one head
  kTimeConv,     // 3x1x1 causal, C -> 2C; frame t gives frames 2t (channels [0, C)) and 2t + 1
  kUpConv,       // every pixel doubled in y and x, then 3x3 per frame, zero padding 1
  kHead,         // causal 3x3x3 to RGB, clamped to [-1, 1]
};

const char* StepKindName(StepKind kind);

/// A value that steps pass on, numbered from 0 within a plan.
using ValueId = int;
inline constexpr ValueId kNoValue = -1;
inline constexpr int kNoSlot = -1;

/// What the producer applies for the next reader.
enum class NormKind {
  kNone,
  kRms,      // x / max(|x|, 1e-12) * sqrt(C) * gamma, |x| the L2 norm over channels
  kRmsSilu,  // the same, then y * sigmoid(y)
};

/// What happens to a step's result on its way to memory, in this order.
struct Epilogue {
  ValueId residual = kNoValue;    // added after the bias
  ValueId raw_output = kNoValue;  // stored as it is then
  NormKind norm = NormKind::kNone;
  std::string norm_weight;           // gamma; empty without a norm
  ValueId normed_output = kNoValue;  // stored after the norm
};

struct Step {
  std::string name;  // "up1.res0.conv1"
  StepKind kind = StepKind::kCausalConv;
  Block block = Block::kMid;
  Category category = Category::kConvolutionOrGemm;
  KernelExtent kernel;
  bool is_3d = true;       // whether the weights have an axis of time
  ActivationShape input;   // of `source`, without history and padding
  ActivationShape output;  // before any norm
  std::string weight;      // name of the weight tensor; empty: none
  std::string bias;
  int cache_slot = kNoSlot;
  ValueId source = kNoValue;
  Epilogue epilogue;

  /// 2 x multiply-adds of the step as it is defined: every tap, padding and zero history included
  ///, attention's two products, nothing for element-wise work.
  std::int64_t flops = 0;
  /// The same after the two exact savings: one tap in time in the first latent, and the doubled
  /// 3x3 as four 2x2 convolutions on the small input.
  std::int64_t executed_flops = 0;
  /// Elements that any implementation must move once: source, history, residual and outputs.
  std::int64_t activation_elements = 0;
  /// Elements of weight and bias.
  std::int64_t weight_elements = 0;
};

}  // namespace causeway::decoder
