// SPDX-License-Identifier: Apache-2.0
// What the cost model of the kernels says of convolutions: of a plan's, and of the seed profile's.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "causeway/kernels/element_type.h"
#include "kernels/conv3d/cost_model.h"
#include "server/decoder/plan/plan.h"

namespace causeway::bench {

/// For one element type, in seconds.
struct ElementPrediction {
  double floor = 0;  // no kernel with direct products is faster
  /// The portable kernel at its best; nothing where it does not compute such a convolution.
  std::optional<kernels::CostPrediction> portable;
};

/// Convolutions of one shape and epilogue.
struct PredictedConv {
  std::string signature;   // "96->96 3x3x3 4x704x320": channels, taps, frames x height x width
  std::string epilogue;    // as EpilogueText
  int steps = 0;           // of the program that have it; 1 of the seed's rows
  ElementPrediction fp16;  // bf16 has the same bytes and rates
  ElementPrediction tf32;
  // The row of the seed with this shape, in seconds; 0 where it has none.
  double seed_conv = 0;
  double seed_row = 0;
  /// The seed's own library kernel by the model; nothing where its name does not tell the tile.
  std::optional<kernels::CostPrediction> library;
};

/// The convolutions of a program in its order, equal ones once. Work that a phase saves is left
/// out: one tap in time in the first latent, four 2x2 products for a doubled 3x3.
std::vector<PredictedConv> PredictProgram(const decoder::Program& program,
                                          const kernels::DevicePeaks& device);

/// The rows of the seed profile, with all their taps and plain stores.
std::vector<PredictedConv> PredictSeed(const kernels::DevicePeaks& device);

}  // namespace causeway::bench
