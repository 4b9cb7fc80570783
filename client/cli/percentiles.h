// SPDX-License-Identifier: Apache-2.0
// Percentiles of a small set of measurements.
#pragma once

#include <optional>
#include <vector>

namespace causeway::cli {

struct Percentiles {
  double p50 = 0;
  double p90 = 0;
  double p99 = 0;
  double max = 0;
};

/// By the nearest-rank definition: the p-th percentile of n values is the ceil(p n / 100)-th
/// smallest, always a value that was measured. Nothing of nothing.
std::optional<Percentiles> PercentilesOf(std::vector<double> values);

}  // namespace causeway::cli
