// SPDX-License-Identifier: Apache-2.0
// Decoded frames of any pixel format as RGB24, for pictures and for PSNR.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "causeway/v1/decode.pb.h"
#include "client/cli/ffmpeg.h"
#include "client/cli/picture_converter.h"
#include "server/base/tensor_view.h"

namespace causeway::cli {

/// What this program has to know of a pixel format.
struct PixelLayout {
  v1::PixelFormat format;
  std::string_view name;  // of --pixel-format
  AVPixelFormat ffmpeg;   // AV_PIX_FMT_NONE: planar floating point
  TensorDtype dtype;      // of a frames tensor
};

/// All pixel formats.
std::span<const PixelLayout> PixelLayouts();

/// The shape of a tensor of `frames` frames: [N, H, W, 3] for RGB24, [N, 3, H, W] for planar
/// floats, [N, H * 3 / 2, W] for I420 and NV12 (the planes one after the other).
std::vector<std::int64_t> FramesShape(const PixelLayout& layout, std::int64_t frames, int height,
                                      int width);

/// Converts frames of one format and size. Not thread-safe.
class FrameRgb {
 public:
  FrameRgb(const PixelLayout& layout, int height, int width);

  /// [height, width, 3] u8. Floating-point x becomes round(255 (x + 1) / 2); YUV is taken as BT.709
  /// limited range. The bytes are those of `pixels` (RGB24) or last until the next call.
  std::span<const std::byte> Convert(std::span<const std::byte> pixels);

 private:
  void ConvertPlanar(std::span<const std::byte> pixels);

  PixelLayout layout_;
  std::size_t plane_;
  std::string rgb_;
  FramePtr input_;
  PictureConverter converter_;
};

}  // namespace causeway::cli
