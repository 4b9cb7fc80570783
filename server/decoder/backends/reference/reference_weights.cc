// SPDX-License-Identifier: Apache-2.0
#include "server/decoder/backends/reference/reference_weights.h"

#include <cmath>
#include <utility>
#include <vector>

#include <ATen/ATen.h>

#include "server/decoder/backends/reference/operations.h"

namespace causeway::decoder::reference {
namespace {

at::Tensor Load(const ReadWeight& read, const std::string& name,
                const std::vector<std::int64_t>& shape, const at::TensorOptions& options) {
  std::vector<float> values = read(name);
  return at::from_blob(values.data(), shape, at::kFloat)
      .to(options, /*non_blocking=*/false,
          /*copy=*/true);
}

StepWeights Prepare(const Step& step, const ReadWeight& read, const at::TensorOptions& options) {
  StepWeights weights;
  const std::int64_t in = step.input.channels;
  const std::int64_t out = step.output.channels;
  if (!step.epilogue.norm_weight.empty()) {
    weights.scaled_gamma =
        Load(read, step.epilogue.norm_weight, {out}, options) * std::sqrt(static_cast<double>(out));
  }
  if (step.weight.empty()) return weights;

  weights.bias = Load(read, step.bias, {step.kind == StepKind::kTimeConv ? 2 * out : out}, options);
  switch (step.kind) {
    case StepKind::kCausalConv:
    case StepKind::kHead:
      weights.weight = Load(read, step.weight, {out, in, 3, 3, 3}, options)
                           .contiguous(at::MemoryFormat::ChannelsLast3d);
      weights.newest_tap = weights.weight.select(2, 2).contiguous(at::MemoryFormat::ChannelsLast);
      break;
    case StepKind::kTimeConv:
      weights.weight = Load(read, step.weight, {2 * out, in, 3, 1, 1}, options)
                           .contiguous(at::MemoryFormat::ChannelsLast3d);
      break;
    case StepKind::kUpConv:
      weights.weight = FoldUpConvWeight(Load(read, step.weight, {out, in, 3, 3}, options))
                           .contiguous(at::MemoryFormat::ChannelsLast);
      weights.bias = weights.bias.repeat({4});
      break;
    case StepKind::kUnnormalise:
    case StepKind::kPointwise:
      weights.weight = Load(read, step.weight, {out, in}, options);
      break;
    case StepKind::kAttention:
      break;
  }
  return weights;
}

at::Tensor PerChannel(const std::vector<double>& values, const at::TensorOptions& options) {
  return at::tensor(values, at::kDouble).to(options);
}

}  // namespace

ReferenceWeights::ReferenceWeights(const ModelConfig& config, const Plan& plan,
                                   const ReadWeight& read, const at::TensorOptions& options)
    : latents_mean_(PerChannel(config.latents_mean, options)),
      latents_std_(PerChannel(config.latents_std, options)),
      options_(options) {
  // The later program has every step that the first has, and the time convolutions.
  for (const Step& step : plan.later.steps) {
    steps_.emplace(step.name, Prepare(step, read, options));
  }
}

}  // namespace causeway::decoder::reference
