// SPDX-License-Identifier: Apache-2.0
#include "client/cli/psnr.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace causeway::cli {
namespace {

double Decibels(double mean_square_error) {
  if (mean_square_error == 0) return std::numeric_limits<double>::infinity();
  return 10 * std::log10(255.0 * 255.0 / mean_square_error);
}

}  // namespace

void Psnr::Add(std::span<const std::byte> frame, std::span<const std::byte> reference) {
  if (frame.size() != reference.size() || frame.empty()) {
    throw std::invalid_argument("Psnr: frames of different sizes");
  }
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < frame.size(); ++i) {
    const std::int64_t difference =
        std::to_integer<std::int64_t>(frame[i]) - std::to_integer<std::int64_t>(reference[i]);
    sum += difference * difference;
  }
  mean_square_errors_.push_back(static_cast<double>(sum) / static_cast<double>(frame.size()));
}

std::optional<PsnrSummary> Psnr::Summary() const {
  if (mean_square_errors_.empty()) return std::nullopt;
  const auto count = static_cast<std::int64_t>(mean_square_errors_.size());
  const double sum = std::accumulate(mean_square_errors_.begin(), mean_square_errors_.end(), 0.0);
  const auto [least, most] =
      std::minmax_element(mean_square_errors_.begin(), mean_square_errors_.end());
  return PsnrSummary{count,
                     Decibels(sum / static_cast<double>(count)),
                     Decibels(mean_square_errors_.front()),
                     Decibels(*most),
                     Decibels(*least),
                     Decibels(mean_square_errors_.back())};
}

}  // namespace causeway::cli
