// SPDX-License-Identifier: Apache-2.0
// A few frames of a video on one picture, each below the source frame that it was made from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace causeway::cli {

/// Frames are spread evenly over the video, first and last included, four to a row of cells. With
/// sources, each row of decoded frames stands below the row of their sources; a source that is
/// never given leaves its cell grey, as the cells behind the last frame stay.
class ContactSheet {
 public:
  static constexpr int kColumns = 4;
  static constexpr int kFrames = 8;

  /// A video of `frame_count` >= 1 frames of height x width pixels.
  ContactSheet(std::int64_t frame_count, int height, int width, bool has_sources);

  /// Whether frame `index` is on the sheet.
  bool Shows(std::int64_t index) const;

  /// Places a frame that is on the sheet. `rgb`: [height, width, 3] u8; `source_rgb`: the same, or
  /// empty.
  void Place(std::int64_t index, std::span<const std::byte> rgb,
             std::span<const std::byte> source_rgb);

  int height() const { return rows_ * height_; }
  int width() const { return columns_ * width_; }

  /// [height(), width(), 3] u8.
  std::span<const std::byte> rgb() const { return sheet_; }

  /// The frames on the sheet, ascending.
  const std::vector<std::int64_t>& shown() const { return shown_; }

 private:
  void Copy(std::span<const std::byte> rgb, int row, int column);

  int height_;
  int width_;
  bool has_sources_;
  std::vector<std::int64_t> shown_;
  int columns_;
  int rows_;
  std::vector<std::byte> sheet_;
};

}  // namespace causeway::cli
