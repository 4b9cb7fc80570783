// SPDX-License-Identifier: Apache-2.0
#include "server/rpc/proto_convert.h"

#include <initializer_list>
#include <optional>
#include <string>
#include <utility>

#include "server/base/crc32c.h"

namespace causeway::rpc {
namespace {

template <typename Wire, typename Domain>
struct Named {
  Wire wire;
  Domain domain;
};

/// The domain's value of an enum field, or the refusal that names what is allowed.
template <typename Wire, typename Domain>
Result<Domain> Translate(Reason reason, const char* field, Wire got, std::string (*name)(Wire),
                         std::initializer_list<Named<Wire, Domain>> values) {
  std::string allowed;
  for (const auto& value : values) {
    if (value.wire == got) return value.domain;
    if (!allowed.empty()) allowed += ", ";
    allowed += name(value.wire);
  }
  const std::string got_name = name(got);
  return BadField(reason, field, got_name.empty() ? std::to_string(got) : got_name, allowed);
}

constexpr Reason kOption = Reason::kBadOption;

std::string RangeName(v1::ColorRange value) { return v1::ColorRange_Name(value); }
std::string MatrixName(v1::ColorMatrix value) { return v1::ColorMatrix_Name(value); }
std::string ModeName(v1::DeliveryMode value) { return v1::DeliveryMode_Name(value); }
std::string PriorityName(v1::Priority value) { return v1::Priority_Name(value); }
std::string ChecksumName(v1::Checksum value) { return v1::Checksum_Name(value); }
std::string DtypeName(v1::Dtype value) { return v1::Dtype_Name(value); }
std::string AxesName(v1::Axes value) { return v1::Axes_Name(value); }
std::string DomainName(v1::Domain value) { return v1::Domain_Name(value); }
std::string FormatName(v1::PixelFormat value) { return v1::PixelFormat_Name(value); }

Result<decoder::LatentDtype> ToDtype(v1::Dtype dtype) {
  using decoder::LatentDtype;
  return Translate<v1::Dtype, LatentDtype>(Reason::kBadDtype, "latent_format.dtype", dtype,
                                           DtypeName,
                                           {{v1::DTYPE_F32, LatentDtype::kF32},
                                            {v1::DTYPE_F16, LatentDtype::kF16},
                                            {v1::DTYPE_BF16, LatentDtype::kBF16}});
}

Result<decoder::LatentAxes> ToAxes(v1::Axes axes) {
  using decoder::LatentAxes;
  return Translate<v1::Axes, LatentAxes>(
      Reason::kBadLayout, "latent_format.axes", axes, AxesName,
      {{v1::AXES_CTHW, LatentAxes::kCthw}, {v1::AXES_TCHW, LatentAxes::kTchw}});
}

Result<decoder::LatentDomain> ToDomain(v1::Domain domain) {
  using decoder::LatentDomain;
  return Translate<v1::Domain, LatentDomain>(
      Reason::kBadOption, "latent_format.domain", domain, DomainName,
      {{v1::DOMAIN_NORMALISED, LatentDomain::kNormalised}, {v1::DOMAIN_RAW, LatentDomain::kRaw}});
}

Result<frame::PixelFormat> ToPixelFormat(v1::PixelFormat format) {
  using frame::PixelFormat;
  return Translate<v1::PixelFormat, PixelFormat>(
      Reason::kBadFormat, "output.pixel_format", format, FormatName,
      {{v1::PIXEL_FORMAT_RGB24, PixelFormat::kRgb24},
       {v1::PIXEL_FORMAT_I420, PixelFormat::kI420},
       {v1::PIXEL_FORMAT_NV12, PixelFormat::kNv12},
       {v1::PIXEL_FORMAT_RGB_F16, PixelFormat::kRgbF16},
       {v1::PIXEL_FORMAT_RGB_F32, PixelFormat::kRgbF32}});
}

/// Limited range and BT.709 are what the Y'CbCr formats are; RGB has neither.
Result<bool> CheckColor(const v1::Output& output, bool is_rgb) {
  Result<bool> range =
      is_rgb ? Translate<v1::ColorRange, bool>(kOption, "output.range", output.range(), RangeName,
                                               {{v1::COLOR_RANGE_UNSPECIFIED, true}})
             : Translate<v1::ColorRange, bool>(
                   kOption, "output.range", output.range(), RangeName,
                   {{v1::COLOR_RANGE_UNSPECIFIED, true}, {v1::COLOR_RANGE_LIMITED, true}});
  if (!range.ok()) return range;
  return is_rgb
             ? Translate<v1::ColorMatrix, bool>(kOption, "output.matrix", output.matrix(),
                                                MatrixName, {{v1::COLOR_MATRIX_UNSPECIFIED, true}})
             : Translate<v1::ColorMatrix, bool>(
                   kOption, "output.matrix", output.matrix(), MatrixName,
                   {{v1::COLOR_MATRIX_UNSPECIFIED, true}, {v1::COLOR_MATRIX_BT709, true}});
}

Result<DeliveryMode> ToDeliveryMode(v1::DeliveryMode mode) {
  return Translate<v1::DeliveryMode, DeliveryMode>(
      kOption, "delivery.mode", mode, ModeName,
      {{v1::DELIVERY_MODE_UNSPECIFIED, DeliveryMode::kBlock},
       {v1::DELIVERY_MODE_BLOCK, DeliveryMode::kBlock},
       {v1::DELIVERY_MODE_DROP_OLDEST, DeliveryMode::kDropOldest}});
}

Result<Priority> ToPriority(v1::Priority priority) {
  return Translate<v1::Priority, Priority>(kOption, "priority", priority, PriorityName,
                                           {{v1::PRIORITY_UNSPECIFIED, Priority::kStandard},
                                            {v1::PRIORITY_INTERACTIVE, Priority::kInteractive},
                                            {v1::PRIORITY_STANDARD, Priority::kStandard},
                                            {v1::PRIORITY_BATCH, Priority::kBatch}});
}

Result<bool> ToChecksums(v1::Checksum checksum) {
  return Translate<v1::Checksum, bool>(
      kOption, "checksum", checksum, ChecksumName,
      {{v1::CHECKSUM_UNSPECIFIED, false}, {v1::CHECKSUM_NONE, false}, {v1::CHECKSUM_CRC32C, true}});
}

/// Takes over what says how frames are paced, ordered and protected.
std::optional<Failure> FillService(const v1::Open& open, OpenRequest& request) {
  const Result<Priority> priority = ToPriority(open.priority());
  if (!priority.ok()) return priority.failure();
  const Result<bool> checksums = ToChecksums(open.checksum());
  if (!checksums.ok()) return checksums.failure();
  request.priority = priority.value();
  request.has_checksums = checksums.value();
  request.timing = {open.timing().timebase_num(), open.timing().timebase_den(),
                    open.timing().target_fps(), open.timing().max_lateness_ms()};
  if (open.has_delivery()) {
    const Result<DeliveryMode> mode = ToDeliveryMode(open.delivery().mode());
    if (!mode.ok()) return mode.failure();
    request.delivery = {mode.value(), open.delivery().initial_frame_credits()};
  }
  if (!open.has_resume()) return std::nullopt;
  return BadField(Reason::kNotImplemented, "resume", "a token", "no resume: open a new session");
}

void Fill(const OpenedOutput& output, v1::DecodeResponse& response) {
  v1::Opened& opened = *response.mutable_opened();
  opened.set_session_id(output.session_id);
  opened.set_reserved_bytes(output.facts.state_bytes);
  opened.mutable_frame_rule()->set_first_latent_frames(output.facts.first_latent_frames);
  opened.mutable_frame_rule()->set_per_latent_frames(output.facts.per_latent_frames);
  opened.mutable_limits()->set_max_chunk_latents(output.limits.max_chunk_latents);
  opened.mutable_limits()->set_max_message_bytes(output.limits.max_message_bytes);
  opened.mutable_limits()->set_max_pending_chunks(output.limits.max_pending_chunks);
  opened.set_latent_channels(output.facts.latent_channels);
  opened.set_frame_bytes(output.facts.frame_bytes);
  opened.set_backend(output.facts.backend);
  opened.mutable_limits()->set_max_frame_credits(output.limits.max_frame_credits);
  opened.mutable_input_credits()->set_chunks(output.limits.max_pending_chunks);
  opened.mutable_input_credits()->set_bytes(output.limits.max_pending_bytes);
  opened.set_frame_credits(output.frame_credits);
  opened.set_idle_timeout_ms(output.idle_timeout.count());
  opened.set_server_version(CAUSEWAY_VERSION);
}

void Fill(const ChunkAcceptedOutput& output, v1::DecodeResponse& response) {
  v1::ChunkAccepted& accepted = *response.mutable_chunk_accepted();
  accepted.set_chunk_seq(output.chunk_seq);
  accepted.set_first_frame_index(output.first_frame_index);
  accepted.set_frame_count(output.frame_count);
  accepted.set_queued_latents(output.queued_latents);
  accepted.set_epoch(output.epoch);
}

void Fill(const FragmentOutput& output, v1::DecodeResponse& response) {
  v1::Frame& frame = *response.mutable_frame();
  frame.set_frame_index(output.frame_index);
  frame.set_chunk_seq(output.chunk_seq);
  frame.mutable_fragment()->set_index(output.index);
  frame.mutable_fragment()->set_count(output.count);
  frame.set_last_of_chunk(output.is_last_of_chunk);
  frame.set_epoch(output.epoch);
  frame.set_pts(output.pts);
  frame.set_late(output.is_late);
  if (output.has_checksum) frame.set_crc32c(Crc32c(output.payload));
  frame.set_payload(output.payload.data(), output.payload.size());
}

void Fill(const FrameDroppedOutput& output, v1::DecodeResponse& response) {
  v1::FrameDropped& dropped = *response.mutable_frame_dropped();
  dropped.set_frame_index(output.frame_index);
  dropped.set_chunk_seq(output.chunk_seq);
  dropped.set_reason(v1::DROP_REASON_SLOW_CONSUMER);
}

void Fill(const ChunkDoneOutput& output, v1::DecodeResponse& response) {
  v1::ChunkDone& done = *response.mutable_chunk_done();
  done.set_chunk_seq(output.chunk_seq);
  done.set_first_frame_index(output.first_frame_index);
  done.set_frame_count(output.frame_count);
  v1::ChunkTiming& timing = *done.mutable_timing();
  timing.set_queue_ns(output.timing.queue.count());
  timing.set_decode_ns(output.timing.decode.count());
  timing.set_pack_ns(output.timing.pack.count());
  timing.set_send_ns(output.timing.send.count());
  timing.set_receive_ns(output.timing.receive.count());
  timing.set_credit_wait_ns(output.timing.credit_wait.count());
  timing.set_total_ns(output.timing.total.count());
  if (!output.kernel_times) return;
  for (int category_index = 0; category_index < decoder::kCategoryCount; ++category_index) {
    for (int block_index = 0; block_index < decoder::kBlockCount; ++block_index) {
      const auto category = static_cast<decoder::Category>(category_index);
      const auto block = static_cast<decoder::Block>(block_index);
      const std::int64_t launches = output.kernel_times->launches(category, block);
      if (launches == 0) continue;
      v1::KernelTime& kernel = *done.add_kernel();
      kernel.set_category(decoder::CategoryName(category));
      kernel.set_block(decoder::BlockName(block));
      kernel.set_ns(output.kernel_times->duration(category, block).count());
      kernel.set_launches(launches);
    }
  }
}

void Fill(const ChunkErrorOutput& output, v1::DecodeResponse& response) {
  v1::ChunkError& error = *response.mutable_chunk_error();
  error.set_chunk_seq(output.chunk_seq);
  error.set_reason(std::string(ReasonName(output.failure.reason)));
  error.set_message(output.failure.message);
  error.set_field(output.failure.field);
  error.set_got(output.failure.got);
  error.set_allowed(output.failure.allowed);
}

void Fill(const InputCreditOutput& output, v1::DecodeResponse& response) {
  response.mutable_input_credit()->set_chunks(output.chunks);
  response.mutable_input_credit()->set_bytes(output.bytes);
}

void Fill(const NoticeOutput& output, v1::DecodeResponse& response) {
  v1::Notice& notice = *response.mutable_notice();
  const bool goes_away = output.kind == NoticeOutput::Kind::kGoAway;
  notice.set_kind(goes_away ? v1::NOTICE_KIND_GO_AWAY : v1::NOTICE_KIND_IDLE_WARNING);
  notice.set_deadline_ms(output.deadline.count());
  notice.set_retry_elsewhere(goes_away);
  notice.set_replay_latents(output.replay_latents);
}

void Fill(const PongOutput& output, v1::DecodeResponse& response) {
  v1::Pong& pong = *response.mutable_pong();
  pong.set_payload(output.ping.payload);
  pong.set_client_time_ns(output.ping.client_time_ns);
  pong.set_server_time_ns(std::chrono::nanoseconds(output.server_time.time_since_epoch()).count());
}

void Fill(const SummaryOutput& output, v1::DecodeResponse& response) {
  v1::Summary& summary = *response.mutable_summary();
  summary.set_chunks(output.chunks);
  summary.set_latents(output.latents);
  summary.set_frames(output.frames);
  summary.set_chunk_errors(output.chunk_errors);
  summary.set_bytes_in(output.bytes_in);
  summary.set_bytes_out(output.bytes_out);
  summary.set_decode_ns(output.decode.count());
  summary.set_frames_dropped(output.frames_dropped);
  summary.set_frames_late(output.frames_late);
  summary.set_resets(output.resets);
}

void Fill(const EndOutput&, v1::DecodeResponse&) {}

}  // namespace

Result<OpenRequest> ToOpenRequest(const v1::Open& open) {
  const Result<decoder::LatentDtype> dtype = ToDtype(open.latent_format().dtype());
  if (!dtype.ok()) return dtype.failure();
  const Result<decoder::LatentAxes> axes = ToAxes(open.latent_format().axes());
  if (!axes.ok()) return axes.failure();
  const Result<decoder::LatentDomain> domain = ToDomain(open.latent_format().domain());
  if (!domain.ok()) return domain.failure();
  const Result<frame::PixelFormat> format = ToPixelFormat(open.output().pixel_format());
  if (!format.ok()) return format.failure();

  const bool is_rgb =
      format.value() != frame::PixelFormat::kI420 && format.value() != frame::PixelFormat::kNv12;
  const Result<bool> color = CheckColor(open.output(), is_rgb);
  if (!color.ok()) return color.failure();

  OpenRequest request;
  request.spec.model = open.model();
  request.spec.geometry = {.height = open.geometry().height(), .width = open.geometry().width()};
  request.spec.latent_format = {dtype.value(), axes.value(), domain.value()};
  request.spec.pixel_format = format.value();
  request.fragment_bytes = open.output().fragment_bytes();
  request.client_ref = open.client_ref();
  request.wants_kernel_timing = open.want_kernel_timing();
  if (auto failure = FillService(open, request)) return *failure;
  return request;
}

ChunkRequest ToChunkRequest(v1::LatentChunk& chunk) {
  return {.seq = chunk.chunk_seq(),
          .latents = chunk.latents(),
          .payload = std::move(*chunk.mutable_payload()),
          .pts = chunk.pts(),
          .deadline_us = chunk.deadline_us(),
          .resets_before = chunk.reset_before(),
          .fragment_index = chunk.fragment().index(),
          .fragment_count = chunk.fragment().count(),
          .crc32c = chunk.crc32c()};
}

void ToResponse(const Output& output, v1::DecodeResponse& response) {
  std::visit([&](const auto& each) { Fill(each, response); }, output);
}

}  // namespace causeway::rpc
