// SPDX-License-Identifier: Apache-2.0
// Where the time of one latent step went, by kernel category and block.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>

#include "server/decoder/types.h"

namespace causeway::decoder {

class StepTimes {
 public:
  using Nanoseconds = std::chrono::nanoseconds;

  void Add(Category category, Block block, Nanoseconds duration) {
    Cell& cell = cells_[static_cast<std::size_t>(category)][static_cast<std::size_t>(block)];
    cell.duration += duration;
    ++cell.launches;
  }

  Nanoseconds duration(Category category, Block block) const {
    return cells_[static_cast<std::size_t>(category)][static_cast<std::size_t>(block)].duration;
  }

  Nanoseconds duration(Category category) const {
    Nanoseconds sum{0};
    for (const Cell& cell : cells_[static_cast<std::size_t>(category)]) sum += cell.duration;
    return sum;
  }

  std::int64_t launches(Category category, Block block) const {
    return cells_[static_cast<std::size_t>(category)][static_cast<std::size_t>(block)].launches;
  }

  /// Operations timed in that category.
  std::int64_t launches(Category category) const {
    std::int64_t sum = 0;
    for (const Cell& cell : cells_[static_cast<std::size_t>(category)]) sum += cell.launches;
    return sum;
  }

  /// Sums up the steps of a chunk.
  StepTimes& operator+=(const StepTimes& other) {
    for (std::size_t category = 0; category < cells_.size(); ++category) {
      for (std::size_t block = 0; block < cells_[category].size(); ++block) {
        cells_[category][block].duration += other.cells_[category][block].duration;
        cells_[category][block].launches += other.cells_[category][block].launches;
      }
    }
    total += other.total;
    return *this;
  }

  /// The whole step by its own pair of timestamps, so that the sum of the cells can be checked
  /// against it.
  Nanoseconds total{0};

 private:
  struct Cell {
    Nanoseconds duration{0};
    std::int64_t launches = 0;
  };
  std::array<std::array<Cell, kBlockCount>, kCategoryCount> cells_{};
};

}  // namespace causeway::decoder
