// SPDX-License-Identifier: Apache-2.0
// The causal history of one session on LibTorch tensors: for every cache slot of the plan the last
// two input frames of its convolution, in order of time. Starts as zeros, which is exactly the
// history of a convolution that has seen nothing. Owned by the session; freed with it.
#pragma once

#include <vector>

#include <ATen/core/Tensor.h>

#include "server/decoder/plan/plan.h"

namespace causeway::decoder {

class CausalCache {
 public:
  CausalCache(const Plan& plan, const at::TensorOptions& options);

  /// Copies the slot's frames to the front of `window`, [2 + T, h, w, C].
  void ReadHistory(int slot, const at::Tensor& window) const;

  /// Keeps the last two frames of `window`, [2 + T, h, w, C]: history, then T new frames.
  void KeepTail(int slot, const at::Tensor& window);

  /// Moves the history on by the one frame `frame`, [1, h, w, C].
  void Push(int slot, const at::Tensor& frame);

  /// Sets all history to zero.
  void Reset();

  /// [2, h, w, C], in order of time; shares the cache's memory.
  at::Tensor slot(int slot) const { return slots_.at(static_cast<std::size_t>(slot)); }

 private:
  std::vector<at::Tensor> slots_;
};

}  // namespace causeway::decoder
