// SPDX-License-Identifier: Apache-2.0
// One session of the reference backend: walks a program's steps and advances the causal cache.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <ATen/core/Tensor.h>

#include "server/decoder/backends/backend.h"
#include "server/decoder/backends/reference/reference_weights.h"
#include "server/decoder/cache/causal_cache.h"

namespace causeway::decoder::reference {

/// Sees the result of every step before its norm, [frames, height, width, channels]. For checks of
/// ranges and for tests; costs nothing where it is not set.
using Observer = std::function<void(const Step& step, const at::Tensor& result)>;

class ReferenceSession : public BackendSession {
 public:
  /// `weights` must outlive the session.
  ReferenceSession(const ReferenceWeights& weights, std::shared_ptr<const Plan> plan);

  void Decode(Phase phase, LatentDomain domain, std::span<const float> latent,
              std::span<float> frames, StepTimes& times) override;
  void Reset() override { cache_.Reset(); }

  CausalCache& cache() { return cache_; }
  void set_observer(Observer observer) { observer_ = std::move(observer); }

 private:
  /// A stored value. Where its reader is a convolution with history, `window` is
  /// [2 + T, h, w, C] and `tensor` is its last T frames, so that nothing is concatenated.
  struct StoredValue {
    at::Tensor tensor;
    at::Tensor window;
  };

  /// What of a program does not change from latent to latent.
  struct ProgramFacts {
    std::vector<std::vector<ValueId>> releases;  // by step
    std::vector<bool> has_window;                // by value
  };

  /// The state of one walk through a program.
  struct Walk {
    const Program& program;
    LatentDomain domain;
    std::vector<StoredValue> values;
    StepTimes& times;
  };

  static ProgramFacts FactsOf(const Program& program);
  const ProgramFacts& facts(Phase phase) const {
    return phase == Phase::kFirstLatent ? first_facts_ : later_facts_;
  }

  void Execute(const Step& step, Walk& walk);
  at::Tensor RunKernel(const Step& step, Walk& walk);
  at::Tensor RunCausalConv(const Step& step, const StepWeights& weights, Walk& walk);
  at::Tensor RunUnnormalise(const Step& step, const StepWeights& weights, Walk& walk);
  /// The place that a value will be stored in.
  StoredValue Allocate(ValueId value, const ActivationShape& shape, const Walk& walk) const;
  void StoreRaw(const Step& step, const at::Tensor& result, Walk& walk) const;

  const ReferenceWeights& weights_;
  std::shared_ptr<const Plan> plan_;
  ProgramFacts first_facts_;
  ProgramFacts later_facts_;
  CausalCache cache_;
  Observer observer_;
};

}  // namespace causeway::decoder::reference
