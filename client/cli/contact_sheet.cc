// SPDX-License-Identifier: Apache-2.0
#include "client/cli/contact_sheet.h"

#include <algorithm>
#include <stdexcept>

namespace causeway::cli {
namespace {

constexpr std::byte kGrey{64};

// `count` indices from 0 to frame_count - 1, evenly spread, rounded to nearest.
std::vector<std::int64_t> Spread(std::int64_t frame_count, std::int64_t count) {
  std::vector<std::int64_t> indices;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t steps = std::max<std::int64_t>(count - 1, 1);
    indices.push_back((2 * i * (frame_count - 1) + steps) / (2 * steps));
  }
  return indices;
}

}  // namespace

ContactSheet::ContactSheet(std::int64_t frame_count, int height, int width, bool has_sources)
    : height_(height),
      width_(width),
      has_sources_(has_sources),
      shown_(Spread(frame_count, std::min<std::int64_t>(frame_count, kFrames))),
      columns_(std::min(static_cast<int>(shown_.size()), kColumns)) {
  const int cell_rows = (static_cast<int>(shown_.size()) + kColumns - 1) / kColumns;
  rows_ = cell_rows * (has_sources ? 2 : 1);
  sheet_.assign(std::size_t{3} * static_cast<std::size_t>(this->height()) *
                    static_cast<std::size_t>(this->width()),
                kGrey);
}

bool ContactSheet::Shows(std::int64_t index) const {
  return std::binary_search(shown_.begin(), shown_.end(), index);
}

void ContactSheet::Place(std::int64_t index, std::span<const std::byte> rgb,
                         std::span<const std::byte> source_rgb) {
  const auto found = std::lower_bound(shown_.begin(), shown_.end(), index);
  if (found == shown_.end() || *found != index) {
    throw std::invalid_argument("ContactSheet: the frame is not on the sheet");
  }
  const int cell = static_cast<int>(found - shown_.begin());
  const int column = cell % kColumns;
  const int row = cell / kColumns * (has_sources_ ? 2 : 1);
  if (has_sources_ && !source_rgb.empty()) Copy(source_rgb, row, column);
  Copy(rgb, has_sources_ ? row + 1 : row, column);
}

void ContactSheet::Copy(std::span<const std::byte> rgb, int row, int column) {
  const std::size_t line = std::size_t{3} * static_cast<std::size_t>(width_);
  if (rgb.size() != line * static_cast<std::size_t>(height_)) {
    throw std::invalid_argument("ContactSheet: the frame has another size");
  }
  for (int y = 0; y < height_; ++y) {
    const std::size_t target =
        (static_cast<std::size_t>(row * height_ + y) * static_cast<std::size_t>(columns_) +
         static_cast<std::size_t>(column)) *
        line;
    std::copy_n(rgb.begin() + static_cast<std::ptrdiff_t>(line) * y, line,
                sheet_.begin() + static_cast<std::ptrdiff_t>(target));
  }
}

}  // namespace causeway::cli
