// SPDX-License-Identifier: Apache-2.0
#include "server/bench/plan_sizes.h"

#include <algorithm>
#include <tuple>

namespace causeway::bench {

using decoder::CacheSlot;
using decoder::NormKind;
using decoder::Step;

std::int64_t ParameterCount(const decoder::Plan& plan) {
  // The first latent skips the time convolutions; the later one runs every step there is.
  std::int64_t count = 0;
  for (const Step& step : plan.later.steps) {
    count += step.weight_elements;
    if (step.epilogue.norm != NormKind::kNone) count += step.output.channels;
  }
  return count;
}

std::vector<SlotClass> SlotClasses(const decoder::Plan& plan) {
  std::vector<SlotClass> classes;
  for (const CacheSlot& slot : plan.slots) {
    const auto known = std::find_if(classes.begin(), classes.end(), [&](const SlotClass& group) {
      return group.shape == slot.shape;
    });
    if (known == classes.end()) {
      classes.push_back({slot.shape, 1});
    } else {
      ++known->slots;
    }
  }
  std::sort(classes.begin(), classes.end(), [](const SlotClass& left, const SlotClass& right) {
    const auto key = [](const SlotClass& group) {
      return std::tuple(group.shape.height, group.shape.width, group.shape.channels);
    };
    return key(left) < key(right);
  });
  return classes;
}

std::int64_t PlanSizes::SessionsIn(std::int64_t memory_bytes, std::int64_t element_bytes) const {
  const std::int64_t left = memory_bytes / element_bytes - parameters - peak_activations;
  return left <= 0 ? 0 : left / state;
}

PlanSizes MeasureSizes(const decoder::Plan& plan) {
  return {.parameters = ParameterCount(plan),
          .state = decoder::StateElements(plan),
          .peak_activations = std::max(decoder::PeakActivationElements(plan.first),
                                       decoder::PeakActivationElements(plan.later))};
}

}  // namespace causeway::bench
