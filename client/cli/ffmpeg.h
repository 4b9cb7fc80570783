// SPDX-License-Identifier: Apache-2.0
// Ownership of FFmpeg's objects, and its errors as exceptions.
#pragma once

#include <memory>
#include <string>

#include "server/base/failure.h"

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/frame.h>
#include <libswscale/swscale.h>
}

namespace causeway::cli {

struct FfmpegDeleter {
  void operator()(AVFrame* frame) const { av_frame_free(&frame); }
  void operator()(AVPacket* packet) const { av_packet_free(&packet); }
  void operator()(AVCodecContext* codec) const { avcodec_free_context(&codec); }
  void operator()(SwsContext* scaler) const { sws_freeContext(scaler); }
};

using FramePtr = std::unique_ptr<AVFrame, FfmpegDeleter>;
using PacketPtr = std::unique_ptr<AVPacket, FfmpegDeleter>;
using CodecPtr = std::unique_ptr<AVCodecContext, FfmpegDeleter>;
using ScalerPtr = std::unique_ptr<SwsContext, FfmpegDeleter>;

/// Throws FileError "<path>: cannot <action>: <FFmpeg's words>" where `result` is an error.
int CheckFfmpeg(int result, const std::string& path, const std::string& action);

/// A frame with a buffer of its own, aligned for FFmpeg's vector code. Throws std::bad_alloc.
FramePtr AllocateFrame(AVPixelFormat format, int height, int width);

}  // namespace causeway::cli
