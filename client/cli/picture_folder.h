// SPDX-License-Identifier: Apache-2.0
// A folder of PNG files that appears whole or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace causeway::cli {

/// The files go to a temporary folder beside the target; Finish gives it the target's name. Without
/// Finish nothing appears. Not thread-safe.
class PictureFolder {
 public:
  /// `path` ends in "/" and names no folder yet, or an empty one. Throws FileError where that is
  /// not so, or the temporary folder cannot be made.
  PictureFolder(const std::string& path, std::int64_t pictures, int height, int width);
  ~PictureFolder();
  PictureFolder(const PictureFolder&) = delete;
  PictureFolder& operator=(const PictureFolder&) = delete;

  /// Writes `index`.png; the numbers have the same width, and six digits at least. `rgb`: [height,
  /// width, 3] u8. Throws FileError where it cannot be written.
  void Write(std::int64_t index, std::span<const std::byte> rgb);

  /// Throws FileError where the folder cannot get its name.
  void Finish();

 private:
  std::string path_;  // without the slash at the end
  std::string temporary_path_;
  std::size_t digits_;
  int height_;
  int width_;
};

}  // namespace causeway::cli
