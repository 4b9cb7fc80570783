// SPDX-License-Identifier: Apache-2.0
// Predicted convolutions as a table, and as JSON.
#pragma once

#include <ostream>
#include <vector>

#include "server/base/json_writer.h"
#include "server/bench/conv_prediction.h"

namespace causeway::bench {

/// Times in microseconds, then the sums over the steps that have a prediction.
void PrintPredictions(const std::vector<PredictedConv>& convs, std::ostream& out);

/// The same for the seed's rows, with its library's kernels by the model beside what was measured.
void PrintSeedPredictions(const std::vector<PredictedConv>& convs, std::ostream& out);

/// One line that names the device and what its figures are.
void PrintDevice(const kernels::DevicePeaks& device, std::ostream& out);

/// An array with one object each. Seconds; null where there is none.
void WritePredictions(const std::vector<PredictedConv>& convs, JsonWriter& json);

}  // namespace causeway::bench
