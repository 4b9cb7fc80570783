// SPDX-License-Identifier: Apache-2.0
// The frames of a run as a safetensors file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "server/base/safetensors_writer.h"
#include "server/decoder/types.h"
#include "server/frame/pixel_format.h"

namespace causeway::bench {

/// Key `frames`: f32 and f16 [frames, 3, H, W]; rgb24 [frames, H, W, 3] U8; i420 and nv12
/// [frames, H * 3 / 2, W] U8. Metadata: format and geometry.
class FramesFile {
 public:
  /// Throws FileError where the file cannot be created.
  FramesFile(const std::string& path, frame::PixelFormat format, const decoder::Geometry& geometry,
             std::int64_t frames);

  /// The next frames, one after the other. Throws FileError (a full disk).
  void Append(std::span<const std::byte> pixels) { writer_.Append(pixels); }

  /// To be called after the last frame; without it no file appears. Throws FileError.
  void Finish() { writer_.Finish(); }

 private:
  SafetensorsWriter writer_;
};

}  // namespace causeway::bench
