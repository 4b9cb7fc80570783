// SPDX-License-Identifier: Apache-2.0
#include "client/cli/picture_converter.h"

#include <algorithm>
#include <stdexcept>

extern "C" {
#include <libavutil/imgutils.h>
#include <libavutil/pixdesc.h>
}

namespace causeway::cli {
namespace {

bool IsRgb(int format) {
  const AVPixFmtDescriptor* descriptor = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(format));
  return descriptor != nullptr && (descriptor->flags & AV_PIX_FMT_FLAG_RGB) != 0;
}

int FullRange(const AVFrame& frame) {
  return IsRgb(frame.format) || frame.color_range == AVCOL_RANGE_JPEG ? 1 : 0;
}

int Matrix(const AVFrame& frame) {
  const bool is_tagged = !IsRgb(frame.format) && frame.colorspace != AVCOL_SPC_UNSPECIFIED &&
                         frame.colorspace != AVCOL_SPC_RGB;
  return is_tagged ? static_cast<int>(frame.colorspace) : static_cast<int>(SWS_CS_ITU709);
}

}  // namespace

AVFrame& PictureConverter::Convert(const AVFrame& from) {
  if (from.height != height_ || from.width != width_) {
    throw std::invalid_argument("the picture's size changes");
  }
  if (!result_) {
    result_ = AllocateFrame(to_, height_, width_);
    // Exact arithmetic, and chroma interpolated rather than repeated: the speed of this conversion
    // is of no concern here.
    constexpr int kFlags = SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT | SWS_FULL_CHR_H_INP;
    scaler_.reset(sws_getContext(width_, height_, static_cast<AVPixelFormat>(from.format), width_,
                                 height_, to_, kFlags, nullptr, nullptr, nullptr));
    if (!scaler_) throw std::invalid_argument("FFmpeg cannot convert this pixel format");
    constexpr int kUnchanged = 1 << 16;
    sws_setColorspaceDetails(scaler_.get(), sws_getCoefficients(Matrix(from)), FullRange(from),
                             sws_getCoefficients(SWS_CS_ITU709), IsRgb(to_) ? 1 : 0, 0, kUnchanged,
                             kUnchanged);
  }
  // An encoder may still hold the last picture.
  if (av_frame_make_writable(result_.get()) < 0) throw std::bad_alloc();
  sws_scale(scaler_.get(), from.data, from.linesize, 0, height_, result_->data, result_->linesize);
  return *result_;
}

void CopyIn(std::span<const std::byte> packed, AVFrame& frame) {
  const auto format = static_cast<AVPixelFormat>(frame.format);
  const int bytes = av_image_get_buffer_size(format, frame.width, frame.height, 1);
  if (bytes < 0 || packed.size() != static_cast<std::size_t>(bytes)) {
    throw std::invalid_argument("the bytes do not fit the picture");
  }
  uint8_t* planes[4] = {};
  int strides[4] = {};
  av_image_fill_arrays(planes, strides, reinterpret_cast<const uint8_t*>(packed.data()), format,
                       frame.width, frame.height, 1);
  const uint8_t* source[4] = {planes[0], planes[1], planes[2], planes[3]};
  av_image_copy(frame.data, frame.linesize, source, strides, format, frame.width, frame.height);
}

void CopyOut(const AVFrame& frame, std::string& packed) {
  const auto format = static_cast<AVPixelFormat>(frame.format);
  const int bytes = av_image_get_buffer_size(format, frame.width, frame.height, 1);
  packed.resize(static_cast<std::size_t>(bytes));
  av_image_copy_to_buffer(reinterpret_cast<uint8_t*>(packed.data()), bytes, frame.data,
                          frame.linesize, format, frame.width, frame.height, 1);
}

}  // namespace causeway::cli
