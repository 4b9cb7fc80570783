// SPDX-License-Identifier: Apache-2.0
#include "client/lib/decode_client.h"

#include <iterator>
#include <utility>

#include <grpcpp/grpcpp.h>

namespace causeway::client {
namespace {

// No frame message comes near it: fragments are at most 3 MiB. It is also gRPC's default, and
// written down so that no other default ever lets a server exhaust a client.
constexpr int kMaxReceiveBytes = 4 << 20;
// A dead peer (power, network, a frozen process) is noticed after 30 s.
constexpr int kKeepaliveTimeMs = 20000;
constexpr int kKeepaliveTimeoutMs = 10000;

constexpr v1::DeliveryMode kDefaultDelivery = v1::DELIVERY_MODE_BLOCK;

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
                        {"UNAVAILABLE", "", "", "", "", {}});
    }
  }
}

// A failure of the transport names neither the server nor what the user wanted of it.
DecodeError OpenError(const DecodeError& error, const std::string& server) {
  if (error.code() != "UNAVAILABLE" || !error.reason().empty()) return error;
  return {"no decode server at " + server + ": " + error.what(),
          {error.code(), "", "", "", "", {}}};
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
  const v1::Limits& limits = opened.limits();
  if (opened.frame_bytes() != BytesOfFrame(open) || opened.frame_bytes() <= 0 ||
      opened.latent_channels() <= 0 || limits.max_pending_chunks() <= 0 ||
      limits.max_chunk_latents() <= 0 || opened.frame_rule().first_latent_frames() <= 0 ||
      opened.frame_rule().per_latent_frames() <= 0) {
    return false;
  }
  const bool is_first_version = !opened.has_input_credits();
  return is_first_version ||
         (opened.input_credits().chunks() > 0 && opened.input_credits().bytes() > 0 &&
          opened.frame_credits() >= 0 && limits.max_message_bytes() > 0);
}

}  // namespace

DecodeClient::DecodeClient(ClientOptions options)
    : options_(std::move(options)),
      channel_(MakeChannel(options_.server)),
      stub_(v1::Decoder::NewStub(channel_)) {}

std::unique_ptr<DecodeSession> DecodeClient::Open(const v1::Open& open,
                                                  const SessionOptions& options) {
  WaitForConnection(*channel_, options_);
  auto context = std::make_unique<grpc::ClientContext>();
  auto stream = stub_->Decode(context.get());
  v1::DecodeRequest request;
  *request.mutable_open() = open;
  // Without it a server takes this for a client that grants no credits, and sends without end.
  if (!open.has_delivery()) request.mutable_open()->mutable_delivery()->set_mode(kDefaultDelivery);
  // Where the write fails the read does too, and the status says why.
  stream->Write(request);
  v1::DecodeResponse response;
  if (!stream->Read(&response)) {
    const grpc::Status status = stream->Finish();
    if (!status.ok()) throw OpenError(ErrorFromStatus(status), options_.server);
    throw ErrorInAnswer(Reason::kInternalBug, "the stream ended before Opened");
  }
  const bool is_usable = response.has_opened() && IsUsable(response.opened(), open);
  v1::Opened opened = response.opened();
  if (!is_usable) {
    context->TryCancel();
    while (stream->Read(&response)) {
    }
    stream->Finish();
    throw ErrorInAnswer(Reason::kInternalBug,
                        "the first message is not an Opened that fits the Open");
  }
  std::unique_ptr<DecodeSession> session(
      new DecodeSession(std::move(context), std::move(stream), open, std::move(opened), options));
  if (open.checksum() == v1::CHECKSUM_CRC32C && session->is_first_version()) {
    // Such a server passes over the field, and nothing would be checked.
    throw DecodeError("this server does not make checksums",
                      {"UNIMPLEMENTED", "NOT_IMPLEMENTED", "checksum", "crc32c", "none", {}});
  }
  return session;
}

template <typename Request, typename Response>
Response DecodeClient::Call(grpc::Status (v1::Decoder::Stub::*method)(grpc::ClientContext*,
                                                                      const Request&, Response*),
                            const Request& request) {
  WaitForConnection(*channel_, options_);
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + options_.call_timeout);
  Response response;
  const grpc::Status status = ((*stub_).*method)(&context, request, &response);
  if (status.error_code() == grpc::StatusCode::UNIMPLEMENTED) {
    throw DecodeError("the server at " + options_.server +
                          " speaks the first version of the protocol, which cannot be asked",
                      {"UNIMPLEMENTED", "", "", "", "", {}});
  }
  if (!status.ok()) throw OpenError(ErrorFromStatus(status), options_.server);
  return response;
}

std::vector<v1::Model> DecodeClient::ListModels() {
  v1::ListModelsResponse response = Call(&v1::Decoder::Stub::ListModels, v1::ListModelsRequest());
  return {std::make_move_iterator(response.mutable_models()->begin()),
          std::make_move_iterator(response.mutable_models()->end())};
}

v1::Model DecodeClient::GetModel(const std::string& name) {
  v1::GetModelRequest request;
  request.set_name(name);
  return Call(&v1::Decoder::Stub::GetModel, request);
}

v1::ServerInfo DecodeClient::GetServerInfo() {
  return Call(&v1::Decoder::Stub::GetServerInfo, v1::GetServerInfoRequest());
}

}  // namespace causeway::client
