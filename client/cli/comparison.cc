// SPDX-License-Identifier: Apache-2.0
#include "client/cli/comparison.h"

#include "server/base/failure.h"

namespace causeway::cli {

Comparison::Comparison(const std::string& path, int height, int width) : reader_(path) {
  if (reader_.height() != height || reader_.width() != width) {
    throw FileError(path, "picture size: got " + std::to_string(reader_.height()) + "x" +
                              std::to_string(reader_.width()) +
                              " (height x width), allowed: " + std::to_string(height) + "x" +
                              std::to_string(width) + ", that of the decoded frames");
  }
}

std::span<const std::byte> Comparison::Skip() {
  if (is_over_ || !reader_.Next(picture_)) {
    is_over_ = true;
    return {};
  }
  return std::as_bytes(std::span(picture_));
}

std::span<const std::byte> Comparison::Next(std::span<const std::byte> rgb) {
  const auto picture = Skip();
  if (!picture.empty()) psnr_.Add(rgb, picture);
  return picture;
}

}  // namespace causeway::cli
