// SPDX-License-Identifier: Apache-2.0
#include "client/cli/decode_command.h"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "client/cli/comparison.h"
#include "client/cli/frame_output.h"
#include "client/cli/frame_rgb.h"
#include "client/cli/progress.h"
#include "client/cli/stream_times.h"
#include "client/lib/decode_client.h"

namespace causeway::cli {
namespace {

using client::DecodeSession;
using Clock = std::chrono::steady_clock;

// An output picture has eight pixels for each latent, each way.
constexpr std::int64_t kPixelsPerLatent = 8;

int PictureExtent(const std::string& path, std::int64_t latent_extent) {
  if (latent_extent > std::numeric_limits<int>::max() / kPixelsPerLatent) {
    throw FileError(path, "latents of " + std::to_string(latent_extent) +
                              " pixels in a row or column: more than any picture has");
  }
  return static_cast<int>(latent_extent * kPixelsPerLatent);
}

// Calls session.Cancel() on an interrupt, for as long as it lives.
class CancelOnInterrupt {
 public:
  CancelOnInterrupt(Interrupt& interrupt, DecodeSession& session) : interrupt_(interrupt) {
    interrupt_.SetAction([&session] { session.Cancel(); });
  }
  ~CancelOnInterrupt() { interrupt_.SetAction({}); }
  CancelOnInterrupt(const CancelOnInterrupt&) = delete;
  CancelOnInterrupt& operator=(const CancelOnInterrupt&) = delete;

 private:
  Interrupt& interrupt_;
};

class DecodeRun {
 public:
  explicit DecodeRun(const DecodeOptions& options)
      : options_(options),
        latents_(options.latents_path, options.key, AxesOf(options)),
        height_(PictureExtent(options.latents_path, latents_.height())),
        width_(PictureExtent(options.latents_path, latents_.width())),
        rgb_(LayoutOf(options), height_, width_) {
    for (const std::string& path : options.outputs) CheckOutputEnding(path);
    if (!options.source_path.empty()) source_.emplace(options.source_path, height_, width_);
    if (!options.reference_path.empty()) {
      reference_.emplace(options.reference_path, height_, width_);
    }
  }

  DecodeReport Run(Interrupt& interrupt, std::ostream* terminal);

 private:
  v1::Open MakeOpen() const;
  void OpenOutputs(std::int64_t frames);
  void Stream(DecodeSession& session, StreamTimes& times, Progress& progress);
  void SendChunks(DecodeSession& session, StreamTimes& times);
  void Take(const client::Frame& frame);
  void Take(const v1::ChunkDone& done);
  [[noreturn]] void Refuse(const v1::ChunkError& error) const;
  void FillReport(const v1::Opened& opened, const StreamTimes& times);

  const DecodeOptions& options_;
  LatentsFile latents_;
  int height_;
  int width_;
  FrameRgb rgb_;
  std::optional<Comparison> source_;
  std::optional<Comparison> reference_;
  std::vector<std::unique_ptr<FrameOutput>> outputs_;
  std::int64_t chunk_latents_ = 0;
  std::int64_t pending_chunks_ = 0;  // at most
  std::int64_t latents_sent_ = 0;
  std::int64_t chunks_done_ = 0;
  std::vector<double> queue_s_;
  std::map<std::pair<std::string, std::string>, KernelRow> kernel_;
  DecodeReport report_;
};

v1::Open DecodeRun::MakeOpen() const {
  v1::Open open;
  open.set_model(options_.model);
  open.mutable_geometry()->set_height(height_);
  open.mutable_geometry()->set_width(width_);
  v1::LatentFormat& format = *open.mutable_latent_format();
  format.set_dtype(DtypeOf(options_, latents_.dtype()));
  format.set_axes(latents_.axes() == LatentAxes::kCthw ? v1::AXES_CTHW : v1::AXES_TCHW);
  format.set_domain(DomainOf(options_));
  open.mutable_output()->set_pixel_format(LayoutOf(options_).format);
  open.set_client_ref("causeway decode");
  open.set_want_kernel_timing(true);
  return open;
}

DecodeReport DecodeRun::Run(Interrupt& interrupt, std::ostream* terminal) {
  client::ClientOptions client_options;
  client_options.server = options_.server;
  client_options.connect_timeout =
      std::chrono::milliseconds(static_cast<std::int64_t>(options_.connect_timeout_s * 1000));
  client::DecodeClient client(client_options);
  const auto started = Clock::now();
  const std::unique_ptr<DecodeSession> session = client.Open(MakeOpen());
  report_.open_s = std::chrono::duration<double>(Clock::now() - started).count();

  const CancelOnInterrupt cancel(interrupt, *session);
  const v1::Opened& opened = session->opened();
  latents_.CheckChannels(opened.latent_channels());
  chunk_latents_ = std::min<std::int64_t>(options_.chunk, opened.limits().max_chunk_latents());
  pending_chunks_ = std::min<std::int64_t>(options_.pending, opened.limits().max_pending_chunks());
  const std::int64_t frames = opened.frame_rule().first_latent_frames() +
                              (latents_.latents() - 1) * opened.frame_rule().per_latent_frames();
  OpenOutputs(frames);
  StreamTimes times(opened.frame_rule());
  {
    Progress progress(terminal, frames);
    Stream(*session, times, progress);
  }
  for (const auto& output : outputs_) output->Finish();
  FillReport(opened, times);
  return std::move(report_);
}

void DecodeRun::OpenOutputs(std::int64_t frames) {
  const OutputSpec spec{LayoutOf(options_), frames, height_, width_, options_.fps,
                        source_.has_value()};
  for (const std::string& path : options_.outputs) outputs_.push_back(OpenOutput(path, spec));
}

void DecodeRun::Stream(DecodeSession& session, StreamTimes& times, Progress& progress) {
  for (;;) {
    SendChunks(session, times);
    const client::Event event = session.Next();
    if (const auto* frame = std::get_if<client::Frame>(&event)) {
      times.FrameArrived(*frame);
      Take(*frame);
      progress.Update(report_.frames);
    } else if (const auto* done = std::get_if<v1::ChunkDone>(&event)) {
      Take(*done);
    } else if (const auto* error = std::get_if<v1::ChunkError>(&event)) {
      Refuse(*error);
    } else {
      return;
    }
  }
}

void DecodeRun::SendChunks(DecodeSession& session, StreamTimes& times) {
  const v1::Dtype dtype = DtypeOf(options_, latents_.dtype());
  while (latents_sent_ < latents_.latents() && report_.chunks - chunks_done_ < pending_chunks_) {
    const std::int64_t count = std::min(chunk_latents_, latents_.latents() - latents_sent_);
    std::string payload = latents_.Chunk(latents_sent_, count, dtype);
    times.ChunkSent(Clock::now());
    session.SendChunk(static_cast<std::int32_t>(count), std::move(payload));
    latents_sent_ += count;
    ++report_.chunks;
    if (latents_sent_ == latents_.latents()) session.End();
  }
}

void DecodeRun::Take(const client::Frame& frame) {
  const auto pixels = std::as_bytes(std::span(frame.pixels));
  Picture picture{report_.frames++, pixels, rgb_.Convert(pixels), {}};
  if (source_) picture.source_rgb = source_->Next(picture.rgb);
  if (reference_) reference_->Next(picture.rgb);
  for (const auto& output : outputs_) output->Write(picture);
}

void DecodeRun::Take(const v1::ChunkDone& done) {
  ++chunks_done_;
  queue_s_.push_back(static_cast<double>(done.timing().queue_ns()) / 1e9);
  report_.decode_s += static_cast<double>(done.timing().decode_ns()) / 1e9;
  for (const v1::KernelTime& time : done.kernel()) {
    KernelRow& row = kernel_[{time.category(), time.block()}];
    row.category = time.category();
    row.block = time.block();
    row.ns += time.ns();
    row.launches += time.launches();
  }
}

void DecodeRun::Refuse(const v1::ChunkError& error) const {
  const auto first = static_cast<std::int64_t>(error.chunk_seq()) * chunk_latents_;
  const std::int64_t last = std::min(first + chunk_latents_, latents_.latents()) - 1;
  throw client::DecodeError(
      options_.latents_path + ": latents " + std::to_string(first) + " to " + std::to_string(last) +
          " refused: " + error.message(),
      {"INVALID_ARGUMENT", error.reason(), error.field(), error.got(), error.allowed()});
}

void DecodeRun::FillReport(const v1::Opened& opened, const StreamTimes& times) {
  report_.model = options_.model;
  report_.backend = opened.backend();
  report_.pixel_format = options_.pixel_format;
  report_.height = height_;
  report_.width = width_;
  report_.latents = latents_.latents();
  report_.chunk_latents = chunk_latents_;
  report_.pending_chunks = pending_chunks_;
  report_.first_frame_s = times.first_frame_s();
  report_.total_s = times.total_s();
  report_.chunk_latency_s = PercentilesOf(times.chunk_latencies_s());
  report_.queue_s = PercentilesOf(queue_s_);
  report_.latent_latency_s = PercentilesOf(times.latent_latencies_s());
  if (source_) report_.comparisons.push_back({"source", source_->path(), source_->Summary()});
  if (reference_) {
    report_.comparisons.push_back({"reference", reference_->path(), reference_->Summary()});
  }
  for (auto& [key, row] : kernel_) report_.kernel.push_back(std::move(row));
  report_.files = options_.outputs;
}

}  // namespace

DecodeReport RunDecode(const DecodeOptions& options, Interrupt& interrupt, std::ostream* terminal) {
  return DecodeRun(options).Run(interrupt, terminal);
}

}  // namespace causeway::cli
