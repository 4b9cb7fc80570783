// SPDX-License-Identifier: Apache-2.0
// Video files: H.264 in MP4, and uncompressed YUV4MPEG2. Both are 4:2:0, BT.709, limited range.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "client/cli/ffmpeg.h"
#include "client/cli/picture_converter.h"
#include "server/base/output_file.h"

namespace causeway::cli {

struct VideoSpec {
  int height = 0;  // even
  int width = 0;   // even
  double fps = 0;
  AVPixelFormat input = AV_PIX_FMT_RGB24;  // also AV_PIX_FMT_YUV420P and AV_PIX_FMT_NV12
};

/// Writes one video file, which appears with Finish, whole; without it nothing appears. Every
/// function throws FileError where the file cannot be written. Not thread-safe.
class VideoWriter {
 public:
  /// The ending of `path` decides: .y4m, anything else is MP4.
  VideoWriter(const std::string& path, const VideoSpec& spec);
  ~VideoWriter();

  /// `picture`: packed, in the input format. YUV input is BT.709 limited range and is not changed.
  void Write(std::span<const std::byte> picture);

  void Finish();

  /// The coarsest quantiser that the H.264 encoder may use: its step is 10 (of 8-bit levels).
  static constexpr int kMaxQuantiser = 24;

 private:
  struct FormatDeleter {
    void operator()(AVFormatContext* format) const {
      avio_closep(&format->pb);
      avformat_free_context(format);
    }
  };
  void OpenEncoder(const VideoSpec& spec, const AVCodec& codec);
  void Encode(const AVFrame* frame);
  int Check(int result) const { return CheckFfmpeg(result, file_.path(), "be written"); }

  OutputFile file_;
  std::unique_ptr<AVFormatContext, FormatDeleter> format_;
  CodecPtr codec_;
  PacketPtr packet_;
  FramePtr input_;
  PictureConverter converter_;
  AVStream* stream_ = nullptr;  // owned by format_
  std::int64_t frames_ = 0;
};

}  // namespace causeway::cli
