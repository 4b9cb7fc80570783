// SPDX-License-Identifier: Apache-2.0
// What a plan says about memory: weights, the state of a session, activations.
#pragma once

#include <cstdint>
#include <vector>

#include "server/decoder/plan/plan.h"

namespace causeway::bench {

/// Elements of all weights, biases and norm scales that the plan's steps name.
std::int64_t ParameterCount(const decoder::Plan& plan);

/// Cache slots of one shape.
struct SlotClass {
  decoder::ActivationShape shape;  // frames: kHistoryFrames
  int slots = 0;

  std::int64_t elements() const { return slots * shape.elements(); }
};

/// Every slot of the plan in exactly one class; from the smallest picture to the largest, and from
/// few channels to many.
std::vector<SlotClass> SlotClasses(const decoder::Plan& plan);

/// All in elements: a backend multiplies by its element size.
struct PlanSizes {
  std::int64_t parameters = 0;
  std::int64_t state = 0;             // of one session
  std::int64_t peak_activations = 0;  // of the step that holds most, in the larger phase

  /// Sessions that fit into `memory_bytes` beside one copy of the weights and the activations of
  /// one latent, which sessions use in turn; every element of `element_bytes` bytes. 0 where not
  /// even the weights fit.
  std::int64_t SessionsIn(std::int64_t memory_bytes, std::int64_t element_bytes) const;
};

PlanSizes MeasureSizes(const decoder::Plan& plan);

}  // namespace causeway::bench
