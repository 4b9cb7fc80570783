// SPDX-License-Identifier: Apache-2.0
#include "client/cli/video_writer.h"

#include <new>
#include <utility>

extern "C" {
#include <libavutil/opt.h>
}

namespace causeway::cli {
namespace {

bool IsYuv4mpeg(const std::string& path) { return path.ends_with(".y4m"); }

const AVCodec& FindEncoder(const std::string& path) {
  const AVCodec* codec = IsYuv4mpeg(path) ? avcodec_find_encoder(AV_CODEC_ID_WRAPPED_AVFRAME)
                                          : avcodec_find_encoder_by_name("libx264");
  if (codec == nullptr) {
    throw FileError(path, "cannot be written: this FFmpeg has no H.264 encoder (libx264)");
  }
  return *codec;
}

}  // namespace

VideoWriter::VideoWriter(const std::string& path, const VideoSpec& spec)
    : file_(path),
      packet_(av_packet_alloc()),
      input_(AllocateFrame(spec.input, spec.height, spec.width)),
      converter_(AV_PIX_FMT_YUV420P, spec.height, spec.width) {
  if (!packet_) throw std::bad_alloc();
  input_->color_range = AVCOL_RANGE_MPEG;
  input_->colorspace = AVCOL_SPC_BT709;
  const AVCodec& codec = FindEncoder(path);
  AVFormatContext* format = nullptr;
  const std::string url = "file:" + file_.temporary_path();
  Check(avformat_alloc_output_context2(&format, nullptr, IsYuv4mpeg(path) ? "yuv4mpegpipe" : "mp4",
                                       url.c_str()));
  format_.reset(format);
  stream_ = avformat_new_stream(format, nullptr);
  if (stream_ == nullptr) throw std::bad_alloc();
  OpenEncoder(spec, codec);
  Check(avio_open(&format->pb, url.c_str(), AVIO_FLAG_WRITE));
  AVDictionary* options = nullptr;
  // The index in front: a player on the network starts at once.
  av_dict_set(&options, "movflags", "+faststart", 0);
  const int result = avformat_write_header(format, &options);
  av_dict_free(&options);
  Check(result);
}

VideoWriter::~VideoWriter() = default;

void VideoWriter::OpenEncoder(const VideoSpec& spec, const AVCodec& codec) {
  codec_.reset(avcodec_alloc_context3(&codec));
  if (!codec_) throw std::bad_alloc();
  constexpr int kMaxDenominator = 1001000;  // holds 24000/1001 and its like
  const AVRational rate = av_d2q(spec.fps, kMaxDenominator);
  codec_->height = spec.height;
  codec_->width = spec.width;
  codec_->pix_fmt = AV_PIX_FMT_YUV420P;
  codec_->time_base = av_inv_q(rate);
  codec_->framerate = rate;
  codec_->color_range = AVCOL_RANGE_MPEG;
  codec_->colorspace = AVCOL_SPC_BT709;
  codec_->color_primaries = AVCOL_PRI_BT709;
  codec_->color_trc = AVCOL_TRC_BT709;
  codec_->qmax = kMaxQuantiser;
  if ((format_->oformat->flags & AVFMT_GLOBALHEADER) != 0) {
    codec_->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
  }
  // Near-transparent; unknown to the uncompressed format, which is no error.
  av_opt_set(codec_->priv_data, "crf", "16", 0);
  Check(avcodec_open2(codec_.get(), &codec, nullptr));
  Check(avcodec_parameters_from_context(stream_->codecpar, codec_.get()));
  stream_->time_base = codec_->time_base;
  stream_->avg_frame_rate = rate;
}

void VideoWriter::Write(std::span<const std::byte> picture) {
  CopyIn(picture, *input_);
  AVFrame& frame = converter_.Convert(*input_);
  frame.pts = frames_++;
  frame.color_range = AVCOL_RANGE_MPEG;
  frame.colorspace = AVCOL_SPC_BT709;
  frame.color_primaries = AVCOL_PRI_BT709;
  frame.color_trc = AVCOL_TRC_BT709;
  Encode(&frame);
}

void VideoWriter::Encode(const AVFrame* frame) {
  Check(avcodec_send_frame(codec_.get(), frame));
  for (;;) {
    const int result = avcodec_receive_packet(codec_.get(), packet_.get());
    if (result == AVERROR(EAGAIN) || result == AVERROR_EOF) return;
    Check(result);
    av_packet_rescale_ts(packet_.get(), codec_->time_base, stream_->time_base);
    packet_->stream_index = stream_->index;
    packet_->duration = av_rescale_q(1, codec_->time_base, stream_->time_base);
    Check(av_interleaved_write_frame(format_.get(), packet_.get()));
  }
}

void VideoWriter::Finish() {
  Encode(nullptr);
  Check(av_write_trailer(format_.get()));
  // What is still buffered is written by the close, and only its result tells of a full disk.
  Check(avio_closep(&format_->pb));
  format_.reset();
  file_.Commit();
}

}  // namespace causeway::cli
