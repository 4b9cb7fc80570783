// SPDX-License-Identifier: Apache-2.0
#include "client/cli/decode_command.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "client/cli/frame_sink.h"
#include "client/cli/media_clock.h"
#include "client/cli/stream_times.h"
#include "client/lib/decode_client.h"

namespace causeway::cli {
namespace {

using client::DecodeSession;
using Clock = std::chrono::steady_clock;

// An output picture has eight pixels for each latent, each way.
constexpr std::int64_t kPixelsPerLatent = 8;
// Of the timebase: the usual one of video, which whole frames of 24, 25 and 30 a second divide.
constexpr int kTicksPerSecond = 90000;

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
        sink_(options, height_, width_) {}

  DecodeReport Run(Interrupt& interrupt, const ProgressTarget& target);

 private:
  v1::Open MakeOpen() const;
  std::unique_ptr<DecodeSession> OpenSession();
  void Stream(DecodeSession& session, StreamTimes& times, Progress& progress);
  void SendChunks(DecodeSession& session, StreamTimes& times);
  void SendChunk(DecodeSession& session, StreamTimes& times);
  bool CanSend(const DecodeSession& session) const;
  std::int64_t FramesBefore(const v1::FrameRule& rule, std::int64_t latents) const;
  Clock::time_point ChunkDue(const v1::FrameRule& rule) const;
  void Play(DecodeSession& session);
  void Take(const client::Frame& frame);
  void Take(const v1::ChunkDone& done);
  [[noreturn]] void Refuse(const v1::ChunkError& error) const;
  void CheckIsWhole() const;
  void FillReport(const v1::Opened& opened, const StreamTimes& times);

  const DecodeOptions& options_;
  LatentsFile latents_;
  int height_;
  int width_;
  FrameSink sink_;
  MediaClock generator_{0, {}};        // when latents are there to be sent
  MediaClock player_{0, {}};           // when frames are consumed
  std::deque<std::int64_t> unplayed_;  // frames that came and are not consumed
  bool is_playing_ = false;
  std::int64_t chunk_latents_ = 0;
  std::int64_t pending_chunks_ = 0;  // at most
  std::int64_t latents_sent_ = 0;
  std::int64_t chunks_done_ = 0;
  std::vector<double> queue_s_;
  std::vector<double> round_trip_s_;
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
  open.mutable_output()->set_fragment_bytes(options_.fragment_bytes);
  open.mutable_delivery()->set_mode(DeliveryOf(options_));
  open.mutable_delivery()->set_initial_frame_credits(options_.credits);
  if (options_.pace > 0) {
    open.mutable_timing()->set_timebase_num(1);
    open.mutable_timing()->set_timebase_den(kTicksPerSecond);
    open.mutable_timing()->set_target_fps(options_.pace);
    // Late is what comes a frame after it was due.
    open.mutable_timing()->set_max_lateness_ms(
        std::max(1, static_cast<int>(std::lround(1000 / options_.pace))));
  }
  if (options_.checksum) open.set_checksum(v1::CHECKSUM_CRC32C);
  open.set_client_ref("causeway decode");
  open.set_want_kernel_timing(true);
  return open;
}

std::unique_ptr<DecodeSession> DecodeRun::OpenSession() {
  client::ClientOptions client_options;
  client_options.server = options_.server;
  client_options.connect_timeout =
      std::chrono::milliseconds(static_cast<std::int64_t>(options_.connect_timeout_s * 1000));
  client::SessionOptions session_options;
  session_options.max_message_bytes = options_.message_bytes;
  if (options_.message_bytes > 0) {
    session_options.oversize = client::SessionOptions::Oversize::kFragment;
  }
  session_options.consumes_by_itself = options_.play <= 0;
  return client::DecodeClient(client_options).Open(MakeOpen(), session_options);
}

std::int64_t DecodeRun::FramesBefore(const v1::FrameRule& rule, std::int64_t latents) const {
  if (latents == 0) return 0;
  return rule.first_latent_frames() + (latents - 1) * rule.per_latent_frames();
}

DecodeReport DecodeRun::Run(Interrupt& interrupt, const ProgressTarget& target) {
  const auto started = Clock::now();
  const std::unique_ptr<DecodeSession> session = OpenSession();
  report_.open_s = std::chrono::duration<double>(Clock::now() - started).count();

  const CancelOnInterrupt cancel(interrupt, *session);
  const v1::Opened& opened = session->opened();
  latents_.CheckChannels(opened.latent_channels());
  chunk_latents_ = std::min<std::int64_t>(options_.chunk, session->max_chunk_latents());
  pending_chunks_ = std::min<std::int64_t>(options_.pending, opened.limits().max_pending_chunks());
  const std::int64_t frames = FramesBefore(opened.frame_rule(), latents_.latents());
  sink_.Open(frames);
  StreamTimes times(opened.frame_rule());
  generator_ = MediaClock(options_.pace, Clock::now());
  {
    Progress progress(target, frames, Clock::now());
    Stream(*session, times, progress);
  }
  CheckIsWhole();
  sink_.Finish();
  FillReport(opened, times);
  return std::move(report_);
}

void DecodeRun::Stream(DecodeSession& session, StreamTimes& times, Progress& progress) {
  for (;;) {
    SendChunks(session, times);
    Play(session);
    Clock::time_point deadline = Clock::time_point::max();
    if (CanSend(session)) deadline = ChunkDue(session.opened().frame_rule());
    if (!unplayed_.empty()) deadline = std::min(deadline, player_.Due(unplayed_.front()));
    const std::optional<client::Event> event = session.NextUntil(deadline);
    if (!event) continue;
    if (const auto* frame = std::get_if<client::Frame>(&*event)) {
      times.FrameArrived(*frame);
      Take(*frame);
      progress.Update(sink_.frames(), Clock::now());
    } else if (const auto* dropped = std::get_if<v1::FrameDropped>(&*event)) {
      report_.dropped_frames.push_back(static_cast<std::int64_t>(dropped->frame_index()));
      sink_.Drop();
    } else if (const auto* done = std::get_if<v1::ChunkDone>(&*event)) {
      Take(*done);
    } else if (const auto* trip = std::get_if<client::RoundTrip>(&*event)) {
      round_trip_s_.push_back(std::chrono::duration<double>(trip->time).count());
    } else if (const auto* notice = std::get_if<v1::Notice>(&*event)) {
      // What is accepted still comes.
      if (notice->kind() == v1::NOTICE_KIND_GO_AWAY) session.End();
    } else if (const auto* error = std::get_if<v1::ChunkError>(&*event)) {
      Refuse(*error);
    } else if (std::holds_alternative<v1::Summary>(*event)) {
      return;
    }
  }
}

bool DecodeRun::CanSend(const DecodeSession& session) const {
  return latents_sent_ < latents_.latents() && report_.chunks - chunks_done_ < pending_chunks_ &&
         session.has_room();
}

Clock::time_point DecodeRun::ChunkDue(const v1::FrameRule& rule) const {
  return generator_.Due(FramesBefore(rule, latents_sent_));
}

void DecodeRun::SendChunks(DecodeSession& session, StreamTimes& times) {
  while (CanSend(session) && ChunkDue(session.opened().frame_rule()) <= Clock::now()) {
    SendChunk(session, times);
  }
}

void DecodeRun::SendChunk(DecodeSession& session, StreamTimes& times) {
  client::Latents chunk;
  const std::int64_t count = std::min(chunk_latents_, latents_.latents() - latents_sent_);
  chunk.count = static_cast<std::int32_t>(count);
  chunk.payload = latents_.Chunk(latents_sent_, count, DtypeOf(options_, latents_.dtype()));
  if (options_.pace > 0) {
    const std::int64_t frame = FramesBefore(session.opened().frame_rule(), latents_sent_);
    chunk.pts = std::llround(static_cast<double>(frame) * kTicksPerSecond / options_.pace);
  }
  times.ChunkSent(Clock::now());
  session.SendChunk(std::move(chunk));
  latents_sent_ += count;
  ++report_.chunks;
  if (latents_sent_ == latents_.latents()) session.End();
  session.Ping();
}

// The player's clock starts with the first frame and does not wait for late ones.
void DecodeRun::Play(DecodeSession& session) {
  while (!unplayed_.empty() && player_.Due(unplayed_.front()) <= Clock::now()) {
    unplayed_.pop_front();
    session.FramesConsumed(1);
  }
}

void DecodeRun::Take(const client::Frame& frame) {
  ++report_.frames;
  if (frame.is_late) ++report_.frames_late;
  if (options_.play > 0) {
    if (!std::exchange(is_playing_, true)) player_ = MediaClock(options_.play, frame.arrived_at);
    unplayed_.push_back(static_cast<std::int64_t>(frame.index));
  }
  sink_.Take(std::as_bytes(std::span(frame.pixels)));
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
      {"INVALID_ARGUMENT", error.reason(), error.field(), error.got(), error.allowed(), {}});
}

void DecodeRun::CheckIsWhole() const {
  if (latents_sent_ == latents_.latents()) return;
  throw client::DecodeError("the server is shutting down: it took " +
                                std::to_string(latents_sent_) + " of " +
                                std::to_string(latents_.latents()) + " latents",
                            {"UNAVAILABLE", "DRAINING", "", "", "", {}});
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
  report_.delivery = options_.delivery;
  report_.frame_credits = opened.frame_credits();
  report_.has_checksums = options_.checksum;
  report_.first_frame_s = times.first_frame_s();
  report_.total_s = times.total_s();
  report_.chunk_latency_s = PercentilesOf(times.chunk_latencies_s());
  report_.queue_s = PercentilesOf(queue_s_);
  report_.latent_latency_s = PercentilesOf(times.latent_latencies_s());
  report_.round_trip_s = PercentilesOf(round_trip_s_);
  report_.comparisons = sink_.Comparisons();
  for (auto& [key, row] : kernel_) report_.kernel.push_back(std::move(row));
  report_.files = options_.outputs;
}

}  // namespace

DecodeReport RunDecode(const DecodeOptions& options, Interrupt& interrupt,
                       const ProgressTarget& progress) {
  return DecodeRun(options).Run(interrupt, progress);
}

}  // namespace causeway::cli
