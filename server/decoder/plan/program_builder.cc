// SPDX-License-Identifier: Apache-2.0
#include "server/decoder/plan/program_builder.h"

#include <utility>

namespace causeway::decoder {
namespace {

constexpr KernelExtent kCausal{3, 3, 3};
constexpr KernelExtent kTime{3, 1, 1};
constexpr KernelExtent kSpace{1, 3, 3};
constexpr KernelExtent kPoint{1, 1, 1};

std::int64_t Taps(const KernelExtent& kernel) {
  return std::int64_t{kernel.time} * kernel.height * kernel.width;
}

std::int64_t ConvFlops(const ActivationShape& output, int in_channels, std::int64_t taps) {
  return 2 * output.elements() * in_channels * taps;
}

// Two products of [N, C] with [C, N] and [N, N] with [N, C], for every frame.
std::int64_t AttentionFlops(const ActivationShape& output) {
  const std::int64_t tokens = std::int64_t{output.height} * output.width;
  return std::int64_t{4} * output.frames * tokens * tokens * output.channels;
}

std::int64_t ExecutedFlops(const Step& step, Phase phase) {
  const bool is_first = phase == Phase::kFirstLatent;
  switch (step.kind) {
    case StepKind::kCausalConv:
    case StepKind::kHead:
      return is_first ? step.flops / step.kernel.time : step.flops;
    case StepKind::kUpConv:
      // Of the 9 taps on the doubled picture 4 remain on the small one.
      return step.flops / 9 * 4;
    default:
      return step.flops;
  }
}

// The time convolution makes 2C channels, which are then read as twice the frames.
int ConvChannels(const Step& step) {
  return step.kind == StepKind::kTimeConv ? 2 * step.output.channels : step.output.channels;
}

void FillCosts(Step& step, Phase phase) {
  if (step.kind == StepKind::kAttention) {
    step.flops = AttentionFlops(step.output);
  } else {
    step.flops = ConvFlops(step.output, step.input.channels, Taps(step.kernel));
    step.weight_elements =
        std::int64_t{ConvChannels(step)} * (step.input.channels * Taps(step.kernel) + 1);
  }
  step.executed_flops = ExecutedFlops(step, phase);

  const Epilogue& epilogue = step.epilogue;
  const int output_copies = (epilogue.raw_output != kNoValue ? 1 : 0) +
                            (epilogue.normed_output != kNoValue ? 1 : 0) +
                            (epilogue.residual != kNoValue ? 1 : 0);
  step.activation_elements = step.input.elements() + output_copies * step.output.elements();
  if (step.cache_slot != kNoSlot && phase == Phase::kLaterLatent) {
    ActivationShape history = step.input;
    history.frames = kHistoryFrames;
    step.activation_elements += history.elements();
  }
}

}  // namespace

ProgramBuilder::ProgramBuilder(Phase phase, ActivationShape latent) {
  program_.phase = phase;
  program_.latent = program_.value_count++;
  latent_ = {program_.latent, latent};
}

int ProgramBuilder::AddSlot(const std::string& name, const ActivationShape& input) {
  slots_.push_back({name, {kHistoryFrames, input.height, input.width, input.channels}});
  return static_cast<int>(slots_.size()) - 1;
}

Results ProgramBuilder::Append(Step step, const Value& source, const ActivationShape& output,
                               const std::string& weights, const Value& residual, bool keep_raw,
                               const NormRequest& norm) {
  step.block = block_;
  step.source = source.id;
  step.input = source.shape;
  step.output = output;
  if (!weights.empty()) {
    step.weight = weights + ".weight";
    step.bias = weights + ".bias";
  }
  step.epilogue.residual = residual.id;
  step.epilogue.norm = norm.kind;
  step.epilogue.norm_weight = norm.weight;

  Results results;
  if (keep_raw) {
    results.raw = {program_.value_count++, output};
    step.epilogue.raw_output = results.raw.id;
  }
  if (norm.kind != NormKind::kNone) {
    results.normed = {program_.value_count++, output};
    step.epilogue.normed_output = results.normed.id;
  }
  FillCosts(step, program_.phase);
  program_.steps.push_back(std::move(step));
  return results;
}

Results ProgramBuilder::Unnormalise(const std::string& name, const Value& source, int out_channels,
                                    const std::string& weights) {
  Step step{.name = name, .kind = StepKind::kUnnormalise, .kernel = kPoint};
  ActivationShape output = source.shape;
  output.channels = out_channels;
  return Append(std::move(step), source, output, weights, {}, true, {});
}

Results ProgramBuilder::CausalConv(const std::string& name, const Value& source, int out_channels,
                                   const std::string& weights, const Value& residual, bool keep_raw,
                                   const NormRequest& norm) {
  Step step{.name = name, .kind = StepKind::kCausalConv, .kernel = kCausal};
  step.cache_slot = AddSlot(name, source.shape);
  ActivationShape output = source.shape;
  output.channels = out_channels;
  return Append(std::move(step), source, output, weights, residual, keep_raw, norm);
}

Results ProgramBuilder::Pointwise(const std::string& name, const Value& source, int out_channels,
                                  const std::string& weights, bool is_3d, const Value& residual,
                                  const NormRequest& norm) {
  Step step{.name = name, .kind = StepKind::kPointwise, .kernel = kPoint, .is_3d = is_3d};
  ActivationShape output = source.shape;
  output.channels = out_channels;
  return Append(std::move(step), source, output, weights, residual, true, norm);
}

Results ProgramBuilder::Attention(const std::string& name, const Value& qkv) {
  Step step{
      .name = name, .kind = StepKind::kAttention, .category = Category::kAttention, .is_3d = false};
  ActivationShape output = qkv.shape;
  output.channels = qkv.shape.channels / 3;
  return Append(std::move(step), qkv, output, "", {}, true, {});
}

Value ProgramBuilder::TimeConv(const std::string& name, const Value& source,
                               const std::string& weights) {
  const int slot = AddSlot(name, source.shape);
  if (program_.phase == Phase::kFirstLatent) return source;
  Step step{.name = name, .kind = StepKind::kTimeConv, .kernel = kTime};
  step.cache_slot = slot;
  ActivationShape output = source.shape;
  output.frames = 2 * source.shape.frames;
  return Append(std::move(step), source, output, weights, {}, true, {}).raw;
}

Results ProgramBuilder::UpConv(const std::string& name, const Value& source, int out_channels,
                               const std::string& weights, const NormRequest& norm) {
  Step step{.name = name, .kind = StepKind::kUpConv, .kernel = kSpace, .is_3d = false};
  ActivationShape output = source.shape;
  output.height *= 2;
  output.width *= 2;
  output.channels = out_channels;
  return Append(std::move(step), source, output, weights, {}, true, norm);
}

void ProgramBuilder::Head(const std::string& name, const Value& source, int out_channels,
                          const std::string& weights) {
  Step step{.name = name, .kind = StepKind::kHead, .kernel = kCausal};
  step.cache_slot = AddSlot(name, source.shape);
  ActivationShape output = source.shape;
  output.channels = out_channels;
  program_.frames = Append(std::move(step), source, output, weights, {}, true, {}).raw.id;
}

Program ProgramBuilder::TakeProgram() { return std::move(program_); }

std::vector<CacheSlot> ProgramBuilder::TakeSlots() { return std::move(slots_); }

}  // namespace causeway::decoder
