// SPDX-License-Identifier: Apache-2.0
#include "client/lib/decode_session.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include <grpcpp/grpcpp.h>

namespace causeway::client {
namespace {

// More than a chunk's message has beside its payload: numbers of at most 10 bytes and their tags.
// Servers reckon with the same.
constexpr std::int64_t kHeaderBytes = 128;

[[noreturn]] void Refuse(const std::string& problem) {
  throw ErrorInAnswer(Reason::kInternalBug, problem);
}

std::int64_t BytesOfLatent(const v1::Open& open, const v1::Opened& opened) {
  const std::int64_t element = open.latent_format().dtype() == v1::DTYPE_F32 ? 4 : 2;
  return element * opened.latent_channels() * (open.geometry().height() / 8) *
         (open.geometry().width() / 8);
}

}  // namespace

DecodeSession::DecodeSession(std::unique_ptr<grpc::ClientContext> context,
                             std::unique_ptr<Stream> stream, v1::Open open, v1::Opened opened,
                             const SessionOptions& options)
    : context_(std::move(context)),
      stream_(std::move(stream)),
      open_(std::move(open)),
      opened_(std::move(opened)),
      options_(options),
      latent_bytes_(BytesOfLatent(open_, opened_)),
      ledger_(opened_),
      input_credits_(opened_),
      frame_credits_(opened_.frame_credits()),
      assembler_(opened_.frame_bytes(), open_.checksum() == v1::CHECKSUM_CRC32C) {
  reader_.emplace(*stream_);
}

DecodeSession::~DecodeSession() {
  if (is_finished_) return;
  context_->TryCancel();
  // The stream's memory is released only once its last message is read and its status taken.
  reader_.reset();
  stream_->Finish();
}

std::int64_t DecodeSession::MaxPayloadBytes() const {
  std::int64_t most = opened_.limits().max_message_bytes();
  if (options_.max_message_bytes > 0) {
    most = std::min<std::int64_t>(most, options_.max_message_bytes);
  }
  return std::max<std::int64_t>(most - kHeaderBytes, 1);
}

std::int32_t DecodeSession::max_chunk_latents() const {
  std::int64_t bytes = input_credits_.max_chunk_bytes();
  std::int64_t latents = std::numeric_limits<std::int32_t>::max();
  if (options_.oversize == SessionOptions::Oversize::kSplit || is_first_version()) {
    bytes = std::min(bytes, MaxPayloadBytes());
    latents = opened_.limits().max_chunk_latents();
  }
  // One latent is the least; where it does not fit into a message, it goes in fragments.
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(bytes / latent_bytes_, 1, latents));
}

std::uint64_t DecodeSession::SendChunk(Latents latents) {
  if (!has_room()) throw std::logic_error("SendChunk without room: call Next() first");
  if (latents.count < 1) {
    throw ErrorBeforeSending(
        BadField(Reason::kChunkTooLong, "latents", std::to_string(latents.count), "at least 1"));
  }
  const std::int64_t expected = latent_bytes_ * latents.count;
  if (static_cast<std::int64_t>(latents.payload.size()) != expected) {
    throw ErrorBeforeSending(BadField(Reason::kPayloadSizeMismatch, "payload",
                                      std::to_string(latents.payload.size()) + " bytes",
                                      std::to_string(expected) + " bytes"));
  }
  if (latent_bytes_ > input_credits_.max_chunk_bytes()) {
    throw ErrorBeforeSending(BadField(
        Reason::kChunkTooLong, "payload", std::to_string(latent_bytes_) + " bytes a latent",
        "at most " + std::to_string(input_credits_.max_chunk_bytes()) +
            " bytes, the server's input credit"));
  }
  const std::uint64_t chunk_seq = ledger_.next_chunk_seq();
  for (Latents& part :
       SplitLatents(std::move(latents), max_chunk_latents(), opened_.latent_channels(),
                    open_.latent_format().axes(), opened_.frame_rule(), ledger_.next_is_first(),
                    open_.timing())) {
    outbox_.push_back(std::move(part));
  }
  Flush();
  return chunk_seq;
}

void DecodeSession::Flush() {
  while (!outbox_.empty() &&
         input_credits_.Allow(static_cast<std::int64_t>(outbox_.front().payload.size()))) {
    Latents part = std::move(outbox_.front());
    outbox_.pop_front();
    input_credits_.Spend(static_cast<std::int64_t>(part.payload.size()));
    const std::uint64_t chunk_seq = ledger_.Sent(part.count);
    for (v1::LatentChunk& message : ChunkMessages(chunk_seq, std::move(part), MaxPayloadBytes(),
                                                  open_.checksum() == v1::CHECKSUM_CRC32C)) {
      v1::DecodeRequest request;
      *request.mutable_latent_chunk() = std::move(message);
      stream_->Write(request);
    }
  }
  if (!has_ended_ || is_end_sent_ || !outbox_.empty()) return;
  is_end_sent_ = true;
  v1::DecodeRequest request;
  request.mutable_end();
  if (is_first_version()) {
    stream_->WriteLast(request, grpc::WriteOptions());
  } else {
    // The stream stays open: frame credits still follow.
    stream_->Write(request);
  }
}

void DecodeSession::Reset() {
  if (!outbox_.empty()) throw std::logic_error("Reset inside a chunk: call Next() first");
  if (is_first_version()) {
    throw DecodeError("this server cannot reset a session: open a new one",
                      {"UNIMPLEMENTED", "NOT_IMPLEMENTED", "reset", "", "", {}});
  }
  if (!ledger_.Reset()) return;
  v1::DecodeRequest request;
  request.mutable_reset()->set_at_chunk_seq(ledger_.next_chunk_seq());
  stream_->Write(request);
}

void DecodeSession::Ping() {
  if (is_first_version()) return;
  const Clock::time_point now = Clock::now();
  pings_.push_back(now);
  v1::DecodeRequest request;
  request.mutable_ping()->set_client_time_ns(
      std::chrono::duration_cast<std::chrono::nanoseconds>(now.time_since_epoch()).count());
  stream_->Write(request);
}

void DecodeSession::FramesConsumed(std::int32_t frames) {
  for (std::int32_t i = 0; i < frames; ++i) frame_credits_.Consumed();
  SendCredits();
}

void DecodeSession::SendCredits() {
  if (is_finished_) return;
  const std::int32_t due = frame_credits_.TakeDue();
  if (due == 0) return;
  v1::DecodeRequest request;
  request.mutable_credit()->set_frames(due);
  stream_->Write(request);
}

void DecodeSession::End() {
  has_ended_ = true;
  Flush();
}

std::optional<Event> DecodeSession::NextUntil(Clock::time_point deadline) {
  if (is_finished_) throw std::logic_error("Next after the end of the session");
  if (std::exchange(is_frame_out_, false)) FramesConsumed(1);
  MessageReader::Received received;
  for (;;) {
    switch (reader_->Next(deadline, received)) {
      case MessageReader::Outcome::kTimeout:
        return std::nullopt;
      case MessageReader::Outcome::kEnd:
        FinishStream();
        Refuse("the stream ended without Summary");
      case MessageReader::Outcome::kMessage:
        if (std::optional<Event> event = Take(std::move(received))) return event;
        received = {};
    }
  }
}

std::optional<Event> DecodeSession::Take(MessageReader::Received received) {
  v1::DecodeResponse& message = received.message;
  switch (message.message_case()) {
    case v1::DecodeResponse::kFrame:
      return TakeFrame(std::move(*message.mutable_frame()), received.at);
    case v1::DecodeResponse::kFrameDropped:
      assembler_.Drop(message.frame_dropped());
      ledger_.Dropped(message.frame_dropped());
      return std::move(*message.mutable_frame_dropped());
    case v1::DecodeResponse::kChunkAccepted:
      ledger_.Accepted(message.chunk_accepted());
      return std::move(*message.mutable_chunk_accepted());
    case v1::DecodeResponse::kChunkDone:
      ledger_.Done(message.chunk_done());
      input_credits_.Answered();
      Flush();
      return std::move(*message.mutable_chunk_done());
    case v1::DecodeResponse::kChunkError:
      ledger_.Refused(message.chunk_error());
      input_credits_.Answered();
      outbox_.clear();
      Flush();
      return std::move(*message.mutable_chunk_error());
    case v1::DecodeResponse::kInputCredit:
      input_credits_.Regain(message.input_credit());
      Flush();
      return std::nullopt;
    case v1::DecodeResponse::kNotice:
      is_going_away_ = is_going_away_ || message.notice().kind() == v1::NOTICE_KIND_GO_AWAY;
      return std::move(*message.mutable_notice());
    case v1::DecodeResponse::kPong:
      return TakePong(message.pong(), received.at);
    case v1::DecodeResponse::kSummary:
      return TakeSummary(std::move(*message.mutable_summary()));
    case v1::DecodeResponse::kOpened:
      Refuse("Opened came twice");
    case v1::DecodeResponse::MESSAGE_NOT_SET:
      // A kind of message that a newer server sends and this client need not know.
      return std::nullopt;
  }
  return std::nullopt;
}

std::optional<Event> DecodeSession::TakeFrame(v1::Frame message, Clock::time_point at) {
  std::optional<Frame> frame = assembler_.Add(std::move(message), at);
  if (!frame) return std::nullopt;
  if (!frame_credits_.Spend()) {
    Refuse("frame " + std::to_string(frame->index) + " came without a credit");
  }
  ledger_.Arrived(*frame);
  is_frame_out_ = options_.consumes_by_itself;
  return std::move(*frame);
}

Event DecodeSession::TakePong(const v1::Pong& pong, Clock::time_point at) {
  if (pings_.empty()) Refuse("a Pong without a Ping: " + pong.ShortDebugString());
  const Clock::time_point sent_at = pings_.front();
  pings_.pop_front();
  return RoundTrip{at - sent_at};
}

Event DecodeSession::TakeSummary(v1::Summary summary) {
  ledger_.Closed(summary);
  MessageReader::Received extra;
  if (reader_->Next(Clock::time_point::max(), extra) == MessageReader::Outcome::kMessage) {
    Refuse("a message came after Summary");
  }
  FinishStream();
  return summary;
}

void DecodeSession::FinishStream() {
  is_finished_ = true;
  const grpc::Status status = stream_->Finish();
  if (!status.ok()) throw ErrorFromStatus(status);
}

}  // namespace causeway::client
