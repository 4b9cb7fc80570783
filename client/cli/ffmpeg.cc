// SPDX-License-Identifier: Apache-2.0
#include "client/cli/ffmpeg.h"

#include <array>
#include <new>

namespace causeway::cli {

int CheckFfmpeg(int result, const std::string& path, const std::string& action) {
  if (result >= 0) return result;
  std::array<char, AV_ERROR_MAX_STRING_SIZE> text{};
  av_strerror(result, text.data(), text.size());
  throw FileError(path, "cannot " + action + ": " + text.data());
}

FramePtr AllocateFrame(AVPixelFormat format, int height, int width) {
  FramePtr frame(av_frame_alloc());
  if (!frame) throw std::bad_alloc();
  frame->format = format;
  frame->height = height;
  frame->width = width;
  if (av_frame_get_buffer(frame.get(), 0) < 0) throw std::bad_alloc();
  return frame;
}

}  // namespace causeway::cli
