// SPDX-License-Identifier: Apache-2.0
// Compares decoded frames with a video file, frame by frame.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "client/cli/psnr.h"
#include "client/cli/video_reader.h"

namespace causeway::cli {

class Comparison {
 public:
  /// Throws FileError where the video cannot be read or its pictures are not height x width.
  Comparison(const std::string& path, int height, int width);

  /// Compares the next frame, [height, width, 3] u8, with the video's next picture, and returns
  /// that picture; it lasts until the next call. Empty, with nothing compared, once the video is
  /// over: a video may be shorter than the decode. Throws FileError.
  std::span<const std::byte> Next(std::span<const std::byte> rgb);

  /// Passes over the video's next picture: its frame did not come. Returns it as Next does.
  std::span<const std::byte> Skip();

  const std::string& path() const { return reader_.path(); }
  /// Nothing where no frame was compared.
  std::optional<PsnrSummary> Summary() const { return psnr_.Summary(); }

 private:
  VideoReader reader_;
  Psnr psnr_;
  std::string picture_;
  bool is_over_ = false;
};

}  // namespace causeway::cli
