// SPDX-License-Identifier: Apache-2.0
#include "server/bench/frames_file.h"

#include <stdexcept>

namespace causeway::bench {
namespace {

using frame::PixelFormat;

TensorHeader HeaderOf(PixelFormat format, const decoder::Geometry& geometry, std::int64_t frames) {
  const std::int64_t height = geometry.height;
  const std::int64_t width = geometry.width;
  switch (format) {
    case PixelFormat::kRgb24:
      return {"frames", TensorDtype::kU8, {frames, height, width, 3}};
    case PixelFormat::kI420:
    case PixelFormat::kNv12:
      return {"frames", TensorDtype::kU8, {frames, height * 3 / 2, width}};
    case PixelFormat::kRgbF16:
      return {"frames", TensorDtype::kF16, {frames, 3, height, width}};
    case PixelFormat::kRgbF32:
      return {"frames", TensorDtype::kF32, {frames, 3, height, width}};
  }
  throw std::invalid_argument("not a pixel format");
}

}  // namespace

FramesFile::FramesFile(const std::string& path, PixelFormat format,
                       const decoder::Geometry& geometry, std::int64_t frames)
    : writer_(path, {HeaderOf(format, geometry, frames)},
              {{"format", std::string(frame::PixelFormatName(format))},
               {"geometry", ToString(geometry)}}) {}

}  // namespace causeway::bench
