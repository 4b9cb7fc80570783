// SPDX-License-Identifier: Apache-2.0
// Pictures from one FFmpeg pixel format to another, of the same size, with the colours of BT.709.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "client/cli/ffmpeg.h"

namespace causeway::cli {

/// Converts pictures of one size. YUV without a colour tag is taken as BT.709 limited range, which
/// is also what is written; RGB is full range. Not thread-safe.
class PictureConverter {
 public:
  PictureConverter(AVPixelFormat to, int height, int width)
      : to_(to), height_(height), width_(width) {}

  /// The picture in the target format. It belongs to the converter and lasts until the next call.
  /// Throws std::invalid_argument where FFmpeg does not know the conversion or the size differs.
  AVFrame& Convert(const AVFrame& from);

 private:
  AVPixelFormat to_;
  int height_;
  int width_;
  ScalerPtr scaler_;
  FramePtr result_;
};

/// Copies packed bytes (planes one after the other, rows without gaps) into a frame of that format.
void CopyIn(std::span<const std::byte> packed, AVFrame& frame);

/// The reverse: appends nothing, replaces `packed`.
void CopyOut(const AVFrame& frame, std::string& packed);

}  // namespace causeway::cli
