// SPDX-License-Identifier: Apache-2.0
#include "client/cli/frame_rgb.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "client/cli/latent_dtype.h"

namespace causeway::cli {
namespace {

constexpr std::array kLayouts{
    PixelLayout{v1::PIXEL_FORMAT_RGB24, "rgb24", AV_PIX_FMT_RGB24, TensorDtype::kU8},
    PixelLayout{v1::PIXEL_FORMAT_I420, "i420", AV_PIX_FMT_YUV420P, TensorDtype::kU8},
    PixelLayout{v1::PIXEL_FORMAT_NV12, "nv12", AV_PIX_FMT_NV12, TensorDtype::kU8},
    PixelLayout{v1::PIXEL_FORMAT_RGB_F16, "f16", AV_PIX_FMT_NONE, TensorDtype::kF16},
    PixelLayout{v1::PIXEL_FORMAT_RGB_F32, "f32", AV_PIX_FMT_NONE, TensorDtype::kF32},
};

}  // namespace

std::span<const PixelLayout> PixelLayouts() { return kLayouts; }

std::vector<std::int64_t> FramesShape(const PixelLayout& layout, std::int64_t frames, int height,
                                      int width) {
  if (layout.ffmpeg == AV_PIX_FMT_RGB24) return {frames, height, width, 3};
  if (layout.ffmpeg == AV_PIX_FMT_NONE) return {frames, 3, height, width};
  return {frames, height * 3 / 2, width};
}

FrameRgb::FrameRgb(const PixelLayout& layout, int height, int width)
    : layout_(layout),
      plane_(static_cast<std::size_t>(height) * static_cast<std::size_t>(width)),
      converter_(AV_PIX_FMT_RGB24, height, width) {
  if (layout.ffmpeg != AV_PIX_FMT_NONE) input_ = AllocateFrame(layout.ffmpeg, height, width);
}

std::span<const std::byte> FrameRgb::Convert(std::span<const std::byte> pixels) {
  if (layout_.ffmpeg == AV_PIX_FMT_RGB24) return pixels;
  if (layout_.ffmpeg == AV_PIX_FMT_NONE) {
    ConvertPlanar(pixels);
  } else {
    CopyIn(pixels, *input_);
    CopyOut(converter_.Convert(*input_), rgb_);
  }
  return std::as_bytes(std::span(rgb_));
}

void FrameRgb::ConvertPlanar(std::span<const std::byte> pixels) {
  const v1::Dtype dtype = layout_.dtype == TensorDtype::kF32 ? v1::DTYPE_F32 : v1::DTYPE_F16;
  const std::string bytes(reinterpret_cast<const char*>(pixels.data()), pixels.size());
  const std::string floats = ConvertDtype(bytes, dtype, v1::DTYPE_F32);
  const auto* values = reinterpret_cast<const float*>(floats.data());
  rgb_.resize(plane_ * 3);
  for (std::size_t i = 0; i < plane_; ++i) {
    for (std::size_t c = 0; c < 3; ++c) {
      const float level = std::round((values[c * plane_ + i] + 1.0f) * 127.5f);
      // In this order a NaN becomes 0.
      const float clamped = level > 0.0f ? std::min(level, 255.0f) : 0.0f;
      rgb_[i * 3 + c] = static_cast<char>(static_cast<unsigned char>(clamped));
    }
  }
}

}  // namespace causeway::cli
