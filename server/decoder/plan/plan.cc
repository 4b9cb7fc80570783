// SPDX-License-Identifier: Apache-2.0
#include "server/decoder/plan/plan.h"

#include <algorithm>
#include <cmath>

namespace causeway::decoder {

const char* PhaseName(Phase phase) {
  return phase == Phase::kFirstLatent ? "first latent" : "later latent";
}

const char* StepKindName(StepKind kind) {
  switch (kind) {
    case StepKind::kUnnormalise:
      return "unnormalise";
    case StepKind::kCausalConv:
      return "causal_conv";
    case StepKind::kPointwise:
      return "pointwise";
    case StepKind::kAttention:
      return "attention";
    case StepKind::kTimeConv:
      return "time_conv";
    case StepKind::kUpConv:
      return "up_conv";
    case StepKind::kHead:
      return "head";
  }
  return "unknown";
}

ProgramTotals Sum(const Program& program) {
  ProgramTotals totals;
  for (const Step& step : program.steps) {
    totals.flops += step.flops;
    totals.executed_flops += step.executed_flops;
    totals.activation_elements += step.activation_elements;
    totals.weight_elements += step.weight_elements;
    if (step.kind == StepKind::kAttention) {
      totals.attention_flops += step.flops;
    } else if (step.is_3d) {
      totals.conv3d_flops += step.flops;
    } else {
      totals.conv2d_flops += step.flops;
    }
    if (step.kind == StepKind::kUpConv) totals.upsample_flops += step.flops;
  }
  return totals;
}

std::int64_t StateElements(const Plan& plan) {
  std::int64_t elements = 0;
  for (const CacheSlot& slot : plan.slots) elements += slot.shape.elements();
  return elements;
}

int ReplayLatents(const Plan& plan) {
  double latents = 0.0;
  for (const Step& step : plan.later.steps) {
    if (step.cache_slot != kNoSlot)
      latents += static_cast<double>(kHistoryFrames) / step.input.frames;
  }
  return static_cast<int>(std::ceil(latents));
}

std::vector<std::vector<ValueId>> ReleaseLists(const Program& program) {
  // A value that nobody reads dies with the step that wrote it; the frames are the result.
  std::vector<int> last_use(static_cast<std::size_t>(program.value_count), -1);
  const auto use = [&](ValueId value, int step) {
    if (value != kNoValue) last_use[static_cast<std::size_t>(value)] = step;
  };
  for (int index = 0; index < static_cast<int>(program.steps.size()); ++index) {
    const Step& step = program.steps[static_cast<std::size_t>(index)];
    use(step.source, index);
    use(step.epilogue.residual, index);
    use(step.epilogue.raw_output, index);
    use(step.epilogue.normed_output, index);
  }
  std::vector<std::vector<ValueId>> releases(program.steps.size());
  for (ValueId value = 0; value < program.value_count; ++value) {
    const int step = last_use[static_cast<std::size_t>(value)];
    if (value != program.frames && step >= 0) {
      releases[static_cast<std::size_t>(step)].push_back(value);
    }
  }
  return releases;
}

std::int64_t PeakActivationElements(const Program& program) {
  std::vector<std::int64_t> elements(static_cast<std::size_t>(program.value_count), 0);
  if (!program.steps.empty()) {
    elements[static_cast<std::size_t>(program.latent)] = program.steps.front().input.elements();
  }
  for (const Step& step : program.steps) {
    for (const ValueId value : {step.epilogue.raw_output, step.epilogue.normed_output}) {
      if (value != kNoValue) elements[static_cast<std::size_t>(value)] = step.output.elements();
    }
  }
  const auto releases = ReleaseLists(program);
  std::int64_t alive =
      program.steps.empty() ? 0 : elements[static_cast<std::size_t>(program.latent)];
  std::int64_t peak = alive;
  for (std::size_t index = 0; index < program.steps.size(); ++index) {
    const Epilogue& epilogue = program.steps[index].epilogue;
    for (const ValueId value : {epilogue.raw_output, epilogue.normed_output}) {
      if (value != kNoValue) alive += elements[static_cast<std::size_t>(value)];
    }
    peak = std::max(peak, alive);
    for (const ValueId value : releases[index]) alive -= elements[static_cast<std::size_t>(value)];
  }
  return peak;
}

}  // namespace causeway::decoder
