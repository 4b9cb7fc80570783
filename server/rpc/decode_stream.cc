// SPDX-License-Identifier: Apache-2.0
#include "server/rpc/decode_stream.h"

#include <chrono>
#include <optional>
#include <random>
#include <utility>
#include <variant>

#include "server/rpc/proto_convert.h"
#include "server/rpc/status_table.h"

namespace causeway::rpc {
namespace {

/// One to five seconds, at random: clients refused together must not come back together.
std::chrono::milliseconds RetryDelay() {
  return std::chrono::milliseconds(1000 + std::random_device{}() % 4000);
}

grpc::Status StatusOf(const EndOutput& end) {
  switch (end.outcome) {
    case EndOutput::Outcome::kOk:
      return grpc::Status::OK;
    case EndOutput::Outcome::kFailed:
      return ToStatus(end.failure, RetryDelay());
    case EndOutput::Outcome::kCancelled:
      return grpc::Status::CANCELLED;
  }
  return grpc::Status::CANCELLED;
}

LogLevel LevelOf(const EndOutput& end) {
  if (end.outcome != EndOutput::Outcome::kFailed) return LogLevel::kInfo;
  return CodeOf(end.failure.reason) == grpc::StatusCode::INTERNAL ? LogLevel::kError
                                                                  : LogLevel::kWarning;
}

std::string NameOf(const EndOutput& end) {
  switch (end.outcome) {
    case EndOutput::Outcome::kOk:
      return "ok";
    case EndOutput::Outcome::kFailed:
      return std::string(ReasonName(end.failure.reason));
    case EndOutput::Outcome::kCancelled:
      return "cancelled";
  }
  return "";
}

}  // namespace

DecodeStream::DecodeStream(std::string peer, Log& log, std::function<Clock::time_point()> now,
                           DoneCallback on_done)
    : peer_(std::move(peer)), log_(log), now_(std::move(now)), on_done_(std::move(on_done)) {}

void DecodeStream::Start(std::shared_ptr<Session> session) {
  session_ = std::move(session);
  self_ = shared_from_this();
  StartRead(&request_);
}

// A read that fails is the client's half-close. It is also what a lost client looks like, but then
// OnCancel follows.
void DecodeStream::OnReadDone(bool ok) {
  if (!ok) return session_->OnEvent(StreamEvent::kHalfClose);
  last_heard_ = Clock::now();
  Dispatch();
  StartRead(&request_);
}

void DecodeStream::Dispatch() {
  switch (request_.message_case()) {
    case v1::DecodeRequest::kOpen:
      return session_->OnOpen(ToOpenRequest(request_.open()));
    case v1::DecodeRequest::kLatentChunk:
      return session_->OnChunk(ToChunkRequest(*request_.mutable_latent_chunk()));
    case v1::DecodeRequest::kEnd:
      return session_->OnEvent(StreamEvent::kEnd);
    case v1::DecodeRequest::kReset:
      return session_->OnReset(request_.reset().at_chunk_seq());
    case v1::DecodeRequest::kCredit:
      return session_->OnCredit(request_.credit().frames());
    case v1::DecodeRequest::kPing:
      return session_->OnPing({request_.ping().payload(), request_.ping().client_time_ns()});
    case v1::DecodeRequest::MESSAGE_NOT_SET:
      return session_->OnEvent(StreamEvent::kUnknownMessage);
  }
}

void DecodeStream::OnWriteDone(bool ok) {
  {
    const std::lock_guard lock(mutex_);
    is_writing_ = false;
  }
  if (!ok) session_->OnEvent(StreamEvent::kCancel);
  OnOutputReady();
}

Clock::duration DecodeStream::write_age(Clock::time_point now) const {
  const std::lock_guard lock(mutex_);
  return is_writing_ ? now - write_start_ : Clock::duration{0};
}

void DecodeStream::OnCancel() { session_->OnEvent(StreamEvent::kCancel); }

void DecodeStream::OnDone() {
  on_done_(this);
  const std::shared_ptr<DecodeStream> last_share = std::move(self_);
}

void DecodeStream::OnOutputReady() {
  std::optional<grpc::Status> status;
  {
    const std::lock_guard lock(mutex_);
    if (is_writing_ || is_finished_) return;
    const std::optional<Output> output = session_->NextOutput();
    if (!output) return;
    if (std::holds_alternative<OpenedOutput>(*output)) LogOpened();
    if (const auto* end = std::get_if<EndOutput>(&*output)) {
      LogEnd(*end);
      status = StatusOf(*end);
      is_finished_ = true;
    } else {
      ToResponse(*output, response_);
      is_writing_ = true;
      write_start_ = now_();
    }
  }
  // Without the lock: nobody else starts a write or finishes now, and gRPC may call back.
  if (status) {
    Finish(*status);
  } else {
    StartWrite(&response_);
  }
}

void DecodeStream::LogOpened() {
  const SessionReport report = session_->report();
  const StreamSpec& spec = report.request->spec;
  log_.Write(LogLevel::kInfo, "session_opened",
             {{"session", session_->id()},
              {"peer", peer_},
              {"client_ref", report.request->client_ref},
              {"model", spec.model},
              {"geometry", decoder::ToString(spec.geometry)},
              {"pixel_format", std::string(frame::PixelFormatName(spec.pixel_format))},
              {"reserved_bytes", std::to_string(report.reserved_bytes)}});
}

void DecodeStream::LogEnd(const EndOutput& end) {
  const SessionReport report = session_->report();
  log_.Write(LevelOf(end), report.request ? "session_ended" : "session_refused",
             {{"session", session_->id()},
              {"peer", peer_},
              {"outcome", NameOf(end)},
              {"message", end.failure.message},
              {"chunks", std::to_string(report.totals.chunks)},
              {"chunk_errors", std::to_string(report.totals.chunk_errors)},
              {"latents", std::to_string(report.totals.latents)},
              {"frames", std::to_string(report.totals.frames)}});
}

}  // namespace causeway::rpc
