// SPDX-License-Identifier: Apache-2.0
// The pictures of a video file, as RGB.
#pragma once

#include <string>

#include "client/cli/ffmpeg.h"
#include "client/cli/picture_converter.h"

namespace causeway::cli {

/// Reads the first video stream of a file. Every function throws FileError where the file cannot
/// be read or decoded. Not thread-safe.
class VideoReader {
 public:
  explicit VideoReader(const std::string& path);

  const std::string& path() const { return path_; }
  int height() const { return codec_->height; }
  int width() const { return codec_->width; }

  /// Replaces `rgb` by the next picture, [height, width, 3] u8; false at the end of the video.
  /// YUV is converted by the matrix and range that the file states, BT.709 limited where it is
  /// silent; RGB is passed on as it is.
  bool Next(std::string& rgb);

 private:
  struct FormatDeleter {
    void operator()(AVFormatContext* format) const { avformat_close_input(&format); }
  };
  bool ReadPacket();

  std::string path_;
  std::unique_ptr<AVFormatContext, FormatDeleter> format_;
  CodecPtr codec_;
  PacketPtr packet_;
  FramePtr frame_;
  std::unique_ptr<PictureConverter> converter_;
  int stream_ = 0;
};

}  // namespace causeway::cli
