// SPDX-License-Identifier: Apache-2.0
#include "client/cli/video_reader.h"

#include <new>
#include <stdexcept>

namespace causeway::cli {

VideoReader::VideoReader(const std::string& path)
    : path_(path), packet_(av_packet_alloc()), frame_(av_frame_alloc()) {
  if (!packet_ || !frame_) throw std::bad_alloc();
  AVFormatContext* format = nullptr;
  // "file:" keeps a name with a colon from being taken for a network address.
  CheckFfmpeg(avformat_open_input(&format, ("file:" + path).c_str(), nullptr, nullptr), path,
              "be read");
  format_.reset(format);
  CheckFfmpeg(avformat_find_stream_info(format, nullptr), path, "be read");
  const AVCodec* decoder = nullptr;
  stream_ = CheckFfmpeg(av_find_best_stream(format, AVMEDIA_TYPE_VIDEO, -1, -1, &decoder, 0), path,
                        "be read as a video");
  codec_.reset(avcodec_alloc_context3(decoder));
  if (!codec_) throw std::bad_alloc();
  CheckFfmpeg(avcodec_parameters_to_context(codec_.get(), format->streams[stream_]->codecpar), path,
              "be decoded");
  CheckFfmpeg(avcodec_open2(codec_.get(), decoder, nullptr), path, "be decoded");
  if (codec_->width < 1 || codec_->height < 1) throw FileError(path, "has no picture size");
  converter_ = std::make_unique<PictureConverter>(AV_PIX_FMT_RGB24, height(), width());
}

bool VideoReader::Next(std::string& rgb) {
  for (;;) {
    const int result = avcodec_receive_frame(codec_.get(), frame_.get());
    if (result == AVERROR_EOF) return false;
    if (result == AVERROR(EAGAIN)) {
      // A null packet makes the decoder hand out what it still holds.
      const AVPacket* packet = ReadPacket() ? packet_.get() : nullptr;
      CheckFfmpeg(avcodec_send_packet(codec_.get(), packet), path_, "be decoded");
      av_packet_unref(packet_.get());
      continue;
    }
    CheckFfmpeg(result, path_, "be decoded");
    try {
      CopyOut(converter_->Convert(*frame_), rgb);
    } catch (const std::invalid_argument& error) {
      throw FileError(path_, std::string("cannot be decoded: ") + error.what());
    }
    av_frame_unref(frame_.get());
    return true;
  }
}

bool VideoReader::ReadPacket() {
  for (;;) {
    const int result = av_read_frame(format_.get(), packet_.get());
    if (result == AVERROR_EOF) return false;
    CheckFfmpeg(result, path_, "be read");
    if (packet_->stream_index == stream_) return true;
    av_packet_unref(packet_.get());
  }
}

}  // namespace causeway::cli
