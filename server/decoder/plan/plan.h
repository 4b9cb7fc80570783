// SPDX-License-Identifier: Apache-2.0
// A plan: what one latent of one geometry costs and how it is computed. Execution, admission,
// tables and documentation all read it. Pure data; built by the model family (models/).
#pragma once

#include <cstdint>
#include <vector>

#include "server/decoder/plan/step.h"

namespace causeway::decoder {

/// The causal history of one convolution: its last two input frames.
struct CacheSlot {
  std::string step;       // the convolution that owns it
  ActivationShape shape;  // frames is always kHistoryFrames
};
inline constexpr int kHistoryFrames = 2;

/// The steps of one phase, in order of execution.
struct Program {
  Phase phase = Phase::kFirstLatent;
  std::vector<Step> steps;
  int value_count = 0;
  ValueId latent = kNoValue;  // [1, h, w, C]: what the first step reads
  ValueId frames = kNoValue;  // [T, H, W, 3] in [-1, 1]: what the last step writes
};

struct Plan {
  Geometry geometry;
  Program first;
  Program later;
  std::vector<CacheSlot> slots;

  const Program& program(Phase phase) const { return phase == Phase::kFirstLatent ? first : later; }
};

/// Sums over a program.
struct ProgramTotals {
  std::int64_t flops = 0;
  std::int64_t executed_flops = 0;
  std::int64_t conv3d_flops = 0;     // kernels with three extents, 1x1x1 of the decoder included
  std::int64_t conv2d_flops = 0;     // up-convolutions and attention's qkv and proj
  std::int64_t upsample_flops = 0;   // the part of conv2d_flops that follows a pixel doubling
  std::int64_t attention_flops = 0;  // the two products of the attention core
  std::int64_t activation_elements = 0;
  std::int64_t weight_elements = 0;
};

ProgramTotals Sum(const Program& program);

/// Elements of causal cache that one session holds. A backend multiplies by its element size.
std::int64_t StateElements(const Plan& plan);

/// How many latents before a latent its frames depend on: replaying that many and then the latent
/// itself gives the frames of the unbroken stream. Every convolution with history reaches two
/// frames back, which at T frames a latent is 2 / T latents, and they stand in one chain.
int ReplayLatents(const Plan& plan);

/// For every step, the values that no later step reads: they can be released after it.
std::vector<std::vector<ValueId>> ReleaseLists(const Program& program);

/// The largest number of activation elements alive at once (outputs of a step included).
std::int64_t PeakActivationElements(const Program& program);

}  // namespace causeway::decoder
