// SPDX-License-Identifier: Apache-2.0
// Minimum, median and percentiles of a list of measurements.
#pragma once

#include <cstddef>
#include <vector>

namespace causeway::bench {

/// All zero where there are no values.
struct Summary {
  std::size_t count = 0;
  double min = 0;
  double median = 0;
  double p99 = 0;
  double max = 0;
};

Summary Summarise(std::vector<double> values);

/// The value below which `fraction` (0 to 1) of the others lie, linear between neighbours: the
/// position is fraction * (count - 1), as numpy.percentile has it. `sorted`: ascending, not empty.
double Percentile(const std::vector<double>& sorted, double fraction);

}  // namespace causeway::bench
