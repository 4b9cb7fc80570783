// SPDX-License-Identifier: Apache-2.0
#include "client/cli/png_writer.h"

#include <new>

#include "client/cli/ffmpeg.h"
#include "client/cli/picture_converter.h"

namespace causeway::cli {

void WritePng(OutputFile& file, int height, int width, std::span<const std::byte> rgb) {
  const AVCodec* encoder = avcodec_find_encoder(AV_CODEC_ID_PNG);
  if (encoder == nullptr) {
    throw FileError(file.path(), "cannot be written: this FFmpeg has no PNG encoder");
  }
  CodecPtr codec(avcodec_alloc_context3(encoder));
  PacketPtr packet(av_packet_alloc());
  if (!codec || !packet) throw std::bad_alloc();
  codec->height = height;
  codec->width = width;
  codec->pix_fmt = AV_PIX_FMT_RGB24;
  codec->time_base = {1, 1};
  const auto check = [&file](int result) { CheckFfmpeg(result, file.path(), "be written"); };
  check(avcodec_open2(codec.get(), encoder, nullptr));
  const FramePtr frame = AllocateFrame(AV_PIX_FMT_RGB24, height, width);
  CopyIn(rgb, *frame);
  check(avcodec_send_frame(codec.get(), frame.get()));
  check(avcodec_receive_packet(codec.get(), packet.get()));
  file.Write(std::as_bytes(std::span(packet->data, static_cast<std::size_t>(packet->size))));
  file.Commit();
}

}  // namespace causeway::cli
