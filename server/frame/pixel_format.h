// SPDX-License-Identifier: Apache-2.0
// The pixel formats in which frames leave the decoder, and their exact definition.
//
// Input of every conversion: one decoded frame, planar RGB, fp32, [3, height, width], contiguous,
// nominally in -1..1. Each value is clamped to x in [-1, 1] first (a NaN becomes -1, black);
// v = (x + 1) / 2 is the display value in 0..1, and R, G, B below are those. The samples are taken
// as already gamma-encoded: no transfer function is applied.
//
//   kRgb24    [height, width, 3] u8: round(255 v)
//   kI420     Y [height, width], then U, then V, each [height/2, width/2], all u8
//   kNv12     Y [height, width], then U and V interleaved [height/2, width/2, 2], all u8
//             BT.709, limited range (ITU-R BT.709-6, items 3.2 to 3.4 at 8 bit):
//             Y' = 0.2126 R + 0.7152 G + 0.0722 B
//             Y = round(16 + 219 Y'), U = round(128 + 224 (B - Y') / 1.8556),
//             V = round(128 + 224 (R - Y') / 1.5748); chroma from the mean of R, G, B over 2x2
//             pixels (sample position: centre)
//   kRgbF16   [3, height, width] IEEE half, little endian: x rounded to nearest, ties to even
//   kRgbF32   [3, height, width] fp32, little endian: x
//
// round() rounds halves up. The 8-bit formats are computed in fp64, so that neither the compiler
// nor fused multiply-add decides which side of a half a value lies on (what is within 1e-12 of a
// half may count as that half).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace causeway::frame {

enum class PixelFormat { kRgb24, kI420, kNv12, kRgbF16, kRgbF32 };

/// "rgb24", "i420", "nv12", "f16", "f32".
std::string_view PixelFormatName(PixelFormat format);

/// The format of that name; nothing where there is none.
std::optional<PixelFormat> ParsePixelFormat(std::string_view name);

/// Bytes of one frame. Throws std::invalid_argument unless height and width are even and positive
/// (in every format, so that a stream can change its format without changing its size).
std::int64_t FrameBytes(PixelFormat format, int height, int width);

/// Packs one frame. `rgb`: [3, height, width] as above. `out`: exactly FrameBytes() bytes, of any
/// alignment, not overlapping `rgb`; every byte of it is written. Throws std::invalid_argument,
/// before it writes anything, where a size does not fit. Thread-safe; allocates nothing.
void PackFrame(PixelFormat format, int height, int width, std::span<const float> rgb,
               std::span<std::byte> out);

}  // namespace causeway::frame
