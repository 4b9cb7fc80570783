// SPDX-License-Identifier: Apache-2.0
#include "client/cli/percentiles.h"

#include <algorithm>

namespace causeway::cli {

std::optional<Percentiles> PercentilesOf(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  const auto nearest_rank = [&values](std::size_t percent) {
    return values[(percent * values.size() + 99) / 100 - 1];
  };
  return Percentiles{nearest_rank(50), nearest_rank(90), nearest_rank(99), values.back()};
}

}  // namespace causeway::cli
