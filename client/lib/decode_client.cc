// SPDX-License-Identifier: Apache-2.0
#include "client/lib/decode_client.h"

#include <optional>
#include <stdexcept>
#include <utility>

#include <grpcpp/grpcpp.h>

namespace causeway::client {
namespace {

using Stream = grpc::ClientReaderWriter<v1::DecodeRequest, v1::DecodeResponse>;

// No frame message comes near it: fragments are at most 3 MiB. It is also gRPC's default, and
// written down so that no other default ever lets a server exhaust a client.
constexpr int kMaxReceiveBytes = 4 << 20;
// A dead peer (power, network, a frozen process) is noticed after 30 s.
constexpr int kKeepaliveTimeMs = 20000;
constexpr int kKeepaliveTimeoutMs = 10000;

std::shared_ptr<grpc::Channel> MakeChannel(const std::string& server) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(kMaxReceiveBytes);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepaliveTimeMs);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kKeepaliveTimeoutMs);
  // Also through a long decode, in which no data flows.
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  // A stream carries state: replaying it would decode latents twice.
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  // Pixels do not go through an HTTP proxy that the environment happens to name.
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  return grpc::CreateCustomChannel(server, grpc::InsecureChannelCredentials(), arguments);
}

// Returns once the connection stands or has failed; the stream that follows tells why it failed.
void WaitForConnection(grpc::Channel& channel, const ClientOptions& options) {
  const auto deadline = std::chrono::system_clock::now() + options.connect_timeout;
  for (;;) {
    const grpc_connectivity_state state = channel.GetState(/*try_to_connect=*/true);
    if (state == GRPC_CHANNEL_READY || state == GRPC_CHANNEL_TRANSIENT_FAILURE) return;
    if (!channel.WaitForStateChange(state, deadline)) {
      throw DecodeError("no connection to " + options.server + " within " +
                            std::to_string(options.connect_timeout.count()) + " ms",
                        {"UNAVAILABLE", "", "", "", ""});
    }
  }
}

// A failure of the transport names neither the server nor what the user wanted of it.
DecodeError OpenError(const DecodeError& error, const std::string& server) {
  if (error.code() != "UNAVAILABLE" || !error.reason().empty()) return error;
  return {"no decode server at " + server + ": " + error.what(), {error.code(), "", "", "", ""}};
}

// Ends a stream from which no more messages come. Throws where its status is not OK.
void FinishStream(Stream& stream) {
  const grpc::Status status = stream.Finish();
  if (!status.ok()) throw ErrorFromStatus(status);
}

// Bytes of one frame; 0 for a pixel format that this client does not know.
std::int64_t BytesOfFrame(const v1::Open& open) {
  const std::int64_t pixels = std::int64_t{open.geometry().height()} * open.geometry().width();
  switch (open.output().pixel_format()) {
    case v1::PIXEL_FORMAT_RGB24:
      return pixels * 3;
    case v1::PIXEL_FORMAT_I420:
    case v1::PIXEL_FORMAT_NV12:
      return pixels * 3 / 2;
    case v1::PIXEL_FORMAT_RGB_F16:
      return pixels * 6;
    case v1::PIXEL_FORMAT_RGB_F32:
      return pixels * 12;
    default:
      return 0;
  }
}

bool IsUsable(const v1::Opened& opened, const v1::Open& open) {
  return opened.frame_bytes() == BytesOfFrame(open) && opened.frame_bytes() > 0 &&
         opened.latent_channels() > 0 && opened.limits().max_pending_chunks() > 0 &&
         opened.limits().max_chunk_latents() > 0 && opened.frame_rule().first_latent_frames() > 0 &&
         opened.frame_rule().per_latent_frames() > 0;
}

std::int64_t BytesOfLatent(const v1::Open& open, const v1::Opened& opened) {
  const std::int64_t element = open.latent_format().dtype() == v1::DTYPE_F32 ? 4 : 2;
  return element * opened.latent_channels() * (open.geometry().height() / 8) *
         (open.geometry().width() / 8);
}

}  // namespace

DecodeClient::DecodeClient(ClientOptions options)
    : options_(std::move(options)),
      channel_(MakeChannel(options_.server)),
      stub_(v1::Decoder::NewStub(channel_)) {}

std::unique_ptr<DecodeSession> DecodeClient::Open(const v1::Open& open) {
  WaitForConnection(*channel_, options_);
  auto context = std::make_unique<grpc::ClientContext>();
  auto stream = stub_->Decode(context.get());
  v1::DecodeRequest request;
  *request.mutable_open() = open;
  // Where the write fails the read does too, and the status says why.
  stream->Write(request);
  v1::DecodeResponse response;
  if (!stream->Read(&response)) {
    const grpc::Status status = stream->Finish();
    if (!status.ok()) throw OpenError(ErrorFromStatus(status), options_.server);
    throw ErrorInAnswer(Reason::kInternalBug, "the stream ended before Opened");
  }
  const v1::Opened& opened = response.opened();
  if (!response.has_opened() || !IsUsable(opened, open)) {
    context->TryCancel();
    while (stream->Read(&response)) {
    }
    stream->Finish();
    throw ErrorInAnswer(Reason::kInternalBug,
                        "the first message is not an Opened that fits the Open");
  }
  const std::int64_t latent_bytes = BytesOfLatent(open, opened);
  return std::unique_ptr<DecodeSession>(new DecodeSession(
      std::move(context), std::move(stream), std::move(*response.mutable_opened()), latent_bytes));
}

DecodeSession::DecodeSession(std::unique_ptr<grpc::ClientContext> context,
                             std::unique_ptr<Stream> stream, v1::Opened opened,
                             std::int64_t latent_bytes)
    : context_(std::move(context)),
      stream_(std::move(stream)),
      opened_(std::move(opened)),
      latent_bytes_(latent_bytes),
      ledger_(opened_),
      assembler_(opened_.frame_bytes()) {}

DecodeSession::~DecodeSession() {
  if (is_finished_) return;
  context_->TryCancel();
  // The stream's memory is released only once its last message is read and its status taken.
  v1::DecodeResponse response;
  while (stream_->Read(&response)) {
  }
  stream_->Finish();
}

std::uint64_t DecodeSession::SendChunk(std::int32_t latents, std::string payload) {
  if (!has_room()) throw std::logic_error("SendChunk without room: call Next() first");
  const std::int32_t most = opened_.limits().max_chunk_latents();
  if (latents < 1 || latents > most) {
    throw ErrorBeforeSending(BadField(Reason::kChunkTooLong, "latents", std::to_string(latents),
                                      "1 to " + std::to_string(most)));
  }
  const std::int64_t expected = latent_bytes_ * latents;
  if (static_cast<std::int64_t>(payload.size()) != expected) {
    throw ErrorBeforeSending(BadField(Reason::kPayloadSizeMismatch, "payload",
                                      std::to_string(payload.size()) + " bytes",
                                      std::to_string(expected) + " bytes"));
  }
  v1::DecodeRequest request;
  v1::LatentChunk& chunk = *request.mutable_latent_chunk();
  const std::uint64_t chunk_seq = ledger_.Sent(latents);
  chunk.set_chunk_seq(chunk_seq);
  chunk.set_latents(latents);
  *chunk.mutable_payload() = std::move(payload);
  stream_->Write(request);
  return chunk_seq;
}

void DecodeSession::End() {
  v1::DecodeRequest request;
  request.mutable_end();
  stream_->WriteLast(request, grpc::WriteOptions());
}

Event DecodeSession::Next() {
  v1::DecodeResponse response;
  while (stream_->Read(&response)) {
    switch (response.message_case()) {
      case v1::DecodeResponse::kFrame: {
        std::optional<Frame> frame = assembler_.Add(std::move(*response.mutable_frame()));
        if (!frame) break;
        ledger_.Arrived(*frame);
        return std::move(*frame);
      }
      case v1::DecodeResponse::kChunkDone:
        ledger_.Done(response.chunk_done());
        return std::move(*response.mutable_chunk_done());
      case v1::DecodeResponse::kChunkError:
        ledger_.Refused(response.chunk_error());
        return std::move(*response.mutable_chunk_error());
      case v1::DecodeResponse::kSummary: {
        ledger_.Closed(response.summary());
        v1::DecodeResponse extra;
        if (stream_->Read(&extra)) {
          throw ErrorInAnswer(Reason::kInternalBug, "a message came after Summary");
        }
        is_finished_ = true;
        FinishStream(*stream_);
        return std::move(*response.mutable_summary());
      }
      case v1::DecodeResponse::kOpened:
        throw ErrorInAnswer(Reason::kInternalBug, "Opened came twice");
      case v1::DecodeResponse::kChunkAccepted:
      case v1::DecodeResponse::kFrameDropped:
      case v1::DecodeResponse::kInputCredit:
      case v1::DecodeResponse::kNotice:
      case v1::DecodeResponse::kPong:
      case v1::DecodeResponse::MESSAGE_NOT_SET:
        // A kind of message that a newer server sends and this client need not know.
        break;
    }
  }
  is_finished_ = true;
  FinishStream(*stream_);
  throw ErrorInAnswer(Reason::kInternalBug, "the stream ended without Summary");
}

}  // namespace causeway::client
