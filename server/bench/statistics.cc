// SPDX-License-Identifier: Apache-2.0
#include "server/bench/statistics.h"

#include <algorithm>

namespace causeway::bench {

double Percentile(const std::vector<double>& sorted, double fraction) {
  const double position = fraction * static_cast<double>(sorted.size() - 1);
  const std::size_t below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double weight = position - static_cast<double>(below);
  return sorted[below] + weight * (sorted[above] - sorted[below]);
}

Summary Summarise(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  return {.count = values.size(),
          .min = values.front(),
          .median = Percentile(values, 0.5),
          .p99 = Percentile(values, 0.99),
          .max = values.back()};
}

}  // namespace causeway::bench
