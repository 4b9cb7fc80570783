// SPDX-License-Identifier: Apache-2.0
#include "server/decoder/backends/reference/reference_session.h"

#include <chrono>
#include <utility>

#include <ATen/ATen.h>
#include <c10/core/InferenceMode.h>

#include "server/decoder/backends/reference/operations.h"

namespace causeway::decoder::reference {
namespace {

using Clock = std::chrono::steady_clock;

/// Runs `work` and books its time. Operations on a CPU are done when they return.
template <typename Work>
auto Timed(StepTimes& times, Category category, Block block, Work&& work) {
  struct Booking {
    StepTimes& times;
    Category category;
    Block block;
    Clock::time_point start = Clock::now();
    ~Booking() { times.Add(category, block, Clock::now() - start); }
  };
  const Booking booking{times, category, block};
  return work();
}

std::size_t Index(ValueId value) { return static_cast<std::size_t>(value); }

}  // namespace

ReferenceSession::ReferenceSession(const ReferenceWeights& weights,
                                   std::shared_ptr<const Plan> plan)
    : weights_(weights),
      plan_(std::move(plan)),
      first_facts_(FactsOf(plan_->first)),
      later_facts_(FactsOf(plan_->later)),
      cache_(*plan_, weights.options()) {}

ReferenceSession::ProgramFacts ReferenceSession::FactsOf(const Program& program) {
  ProgramFacts facts;
  facts.releases = ReleaseLists(program);
  facts.has_window.resize(static_cast<std::size_t>(program.value_count), false);
  // In the first latent all history is zero and is not read.
  if (program.phase == Phase::kFirstLatent) return facts;
  for (const Step& step : program.steps) {
    if (step.cache_slot != kNoSlot) facts.has_window[Index(step.source)] = true;
  }
  return facts;
}

void ReferenceSession::Decode(Phase phase, LatentDomain domain, std::span<const float> latent,
                              std::span<float> frames, StepTimes& times) {
  const c10::InferenceMode inference;
  const Clock::time_point start = Clock::now();
  const Program& program = plan_->program(phase);
  Walk walk{program, domain, {}, times};
  walk.values.resize(Index(program.value_count));

  const ActivationShape& shape = program.steps.front().input;
  // from_blob takes no const pointer; the tensor is only read.
  walk.values[Index(program.latent)].tensor = at::from_blob(
      const_cast<float*>(latent.data()), {shape.channels, shape.height, shape.width}, at::kFloat);
  for (std::size_t index = 0; index < program.steps.size(); ++index) {
    Execute(program.steps[index], walk);
    for (const ValueId value : facts(phase).releases[index]) walk.values[Index(value)] = {};
  }

  Timed(times, Category::kPostprocess, Block::kHead, [&] {
    const at::Tensor& result = walk.values[Index(program.frames)].tensor;
    const at::Tensor planar = result.permute({0, 3, 1, 2});
    at::Tensor out = at::from_blob(frames.data(), planar.sizes(), at::kFloat);
    out.copy_(planar).clamp_(-1.0, 1.0);
  });
  times.total += Clock::now() - start;
}

void ReferenceSession::Execute(const Step& step, Walk& walk) {
  at::Tensor result = RunKernel(step, walk);
  const Epilogue& epilogue = step.epilogue;
  if (epilogue.residual != kNoValue) {
    Timed(walk.times, Category::kElementwiseAdd, step.block,
          [&] { result.add_(walk.values[Index(epilogue.residual)].tensor); });
  }
  if (observer_) observer_(step, result);
  if (epilogue.raw_output != kNoValue) StoreRaw(step, result, walk);
  if (epilogue.norm != NormKind::kNone) {
    Timed(walk.times, Category::kNormActivation, step.block, [&] {
      StoredValue stored = Allocate(epilogue.normed_output, step.output, walk);
      RmsNorm(result, weights_.step(step.name).scaled_gamma, epilogue.norm == NormKind::kRmsSilu,
              stored.tensor);
      walk.values[Index(epilogue.normed_output)] = std::move(stored);
    });
  }
}

at::Tensor ReferenceSession::RunKernel(const Step& step, Walk& walk) {
  const StepWeights& weights = weights_.step(step.name);
  const at::Tensor& source = walk.values[Index(step.source)].tensor;
  const auto timed = [&](Category category, auto&& work) {
    return Timed(walk.times, category, step.block, work);
  };
  switch (step.kind) {
    case StepKind::kUnnormalise:
      return RunUnnormalise(step, weights, walk);
    case StepKind::kCausalConv:
    case StepKind::kHead:
      return RunCausalConv(step, weights, walk);
    case StepKind::kTimeConv: {
      const at::Tensor wide = RunCausalConv(step, weights, walk);
      return timed(Category::kLayoutConversion, [&] { return DeinterleaveFrames(wide); });
    }
    case StepKind::kPointwise:
      return timed(step.category, [&] { return Pointwise(source, weights.weight, weights.bias); });
    case StepKind::kAttention:
      return timed(step.category, [&] { return Attention(source); });
    case StepKind::kUpConv: {
      const at::Tensor parities =
          timed(step.category, [&] { return Conv2d(source, weights.weight, weights.bias, 1); });
      return timed(Category::kUpsample, [&] { return InterleaveParities(parities); });
    }
  }
  TORCH_CHECK(false, "a step of unknown kind: ", step.name);
}

at::Tensor ReferenceSession::RunCausalConv(const Step& step, const StepWeights& weights,
                                           Walk& walk) {
  const StoredValue& source = walk.values[Index(step.source)];
  const int space_padding = step.kernel.height / 2;
  if (walk.program.phase == Phase::kFirstLatent) {
    at::Tensor result = Timed(walk.times, step.category, step.block, [&] {
      return Conv2d(source.tensor, weights.newest_tap, weights.bias, space_padding);
    });
    Timed(walk.times, Category::kCacheIo, step.block,
          [&] { cache_.Push(step.cache_slot, source.tensor); });
    return result;
  }
  Timed(walk.times, Category::kCacheIo, step.block,
        [&] { cache_.ReadHistory(step.cache_slot, source.window); });
  at::Tensor result = Timed(walk.times, step.category, step.block, [&] {
    return Conv3d(source.window, weights.weight, weights.bias, space_padding);
  });
  Timed(walk.times, Category::kCacheIo, step.block,
        [&] { cache_.KeepTail(step.cache_slot, source.window); });
  return result;
}

at::Tensor ReferenceSession::RunUnnormalise(const Step& step, const StepWeights& weights,
                                            Walk& walk) {
  const at::Tensor latent = Timed(walk.times, Category::kPostprocess, step.block, [&] {
    at::Tensor x = walk.values[Index(step.source)]
                       .tensor.to(weights_.options())
                       .permute({1, 2, 0})
                       .unsqueeze(0);
    if (walk.domain == LatentDomain::kNormalised) {
      x = x * weights_.latents_std() + weights_.latents_mean();
    }
    return x.contiguous();
  });
  return Timed(walk.times, step.category, step.block,
               [&] { return Pointwise(latent, weights.weight, weights.bias); });
}

ReferenceSession::StoredValue ReferenceSession::Allocate(ValueId value,
                                                         const ActivationShape& shape,
                                                         const Walk& walk) const {
  StoredValue stored;
  if (facts(walk.program.phase).has_window[Index(value)]) {
    stored.window =
        at::empty({kHistoryFrames + shape.frames, shape.height, shape.width, shape.channels},
                  weights_.options());
    stored.tensor = stored.window.narrow(0, kHistoryFrames, shape.frames);
  } else {
    stored.tensor =
        at::empty({shape.frames, shape.height, shape.width, shape.channels}, weights_.options());
  }
  return stored;
}

void ReferenceSession::StoreRaw(const Step& step, const at::Tensor& result, Walk& walk) const {
  const ValueId value = step.epilogue.raw_output;
  StoredValue& stored = walk.values[Index(value)];
  if (!facts(walk.program.phase).has_window[Index(value)]) {
    stored.tensor = result;
    return;
  }
  Timed(walk.times, Category::kCacheIo, step.block, [&] {
    stored = Allocate(value, step.output, walk);
    stored.tensor.copy_(result);
  });
}

}  // namespace causeway::decoder::reference
