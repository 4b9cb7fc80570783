// SPDX-License-Identifier: Apache-2.0
#include "tests/client/lib/scripted_server.h"

#include <chrono>
#include <utility>

namespace causeway::client {

class ScriptedServer::Service final : public v1::Decoder::Service {
 public:
  explicit Service(Script script) : script_(std::move(script)) {}

  grpc::Status Decode(grpc::ServerContext* context, Stream* stream) override {
    return script_(*context, *stream);
  }

  grpc::Status ListModels(grpc::ServerContext*, const v1::ListModelsRequest*,
                          v1::ListModelsResponse* response) override {
    if (!is_described_) return Unknown();
    *response = models_;
    return grpc::Status::OK;
  }

  grpc::Status GetModel(grpc::ServerContext*, const v1::GetModelRequest* request,
                        v1::Model* response) override {
    if (!is_described_) return Unknown();
    for (const v1::Model& model : models_.models()) {
      if (model.name() != request->name()) continue;
      *response = model;
      return grpc::Status::OK;
    }
    return {grpc::StatusCode::NOT_FOUND, "no such model"};
  }

  grpc::Status GetServerInfo(grpc::ServerContext*, const v1::GetServerInfoRequest*,
                             v1::ServerInfo* response) override {
    if (!is_described_) return Unknown();
    *response = info_;
    return grpc::Status::OK;
  }

  void describe(const Description& description) {
    description(models_, info_);
    is_described_ = true;
  }

 private:
  static grpc::Status Unknown() { return {grpc::StatusCode::UNIMPLEMENTED, ""}; }

  Script script_;
  v1::ListModelsResponse models_;
  v1::ServerInfo info_;
  bool is_described_ = false;
};

ScriptedServer::ScriptedServer(Script script)
    : service_(std::make_unique<Service>(std::move(script))) {
  int port = 0;
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  builder.RegisterService(service_.get());
  server_ = builder.BuildAndStart();
  address_ = "127.0.0.1:" + std::to_string(port);
}

void ScriptedServer::describe(const Description& description) { service_->describe(description); }

// A deadline that has passed cancels the calls that are left, so that a script waiting in Read
// ends.
ScriptedServer::~ScriptedServer() { server_->Shutdown(std::chrono::system_clock::now()); }

v1::Opened SmallOpened() {
  v1::Opened opened;
  opened.set_session_id("00112233445566778899aabbccddeeff");
  opened.set_reserved_bytes(1);
  opened.mutable_frame_rule()->set_first_latent_frames(1);
  opened.mutable_frame_rule()->set_per_latent_frames(4);
  opened.mutable_limits()->set_max_chunk_latents(3);
  opened.mutable_limits()->set_max_message_bytes(8 << 20);
  opened.mutable_limits()->set_max_pending_chunks(2);
  opened.set_latent_channels(4);
  opened.set_frame_bytes(16 * 16 * 3);
  opened.set_backend("scripted");
  return opened;
}

v1::Opened CreditedOpened(const v1::Open& open) {
  v1::Opened opened = SmallOpened();
  opened.mutable_input_credits()->set_chunks(2);
  opened.mutable_input_credits()->set_bytes(std::int64_t{6} * 32);
  const int asked = open.delivery().initial_frame_credits();
  opened.set_frame_credits(asked == 0 ? 16 : asked);
  opened.mutable_limits()->set_max_frame_credits(64);
  return opened;
}

v1::Open SmallOpen() {
  v1::Open open;
  open.set_model("small");
  open.mutable_geometry()->set_height(16);
  open.mutable_geometry()->set_width(16);
  open.mutable_latent_format()->set_dtype(v1::DTYPE_F16);
  open.mutable_latent_format()->set_axes(v1::AXES_CTHW);
  open.mutable_latent_format()->set_domain(v1::DOMAIN_NORMALISED);
  open.mutable_output()->set_pixel_format(v1::PIXEL_FORMAT_RGB24);
  return open;
}

void Admit(ScriptedServer::Stream& stream) {
  v1::DecodeRequest request;
  stream.Read(&request);
  v1::DecodeResponse response;
  *response.mutable_opened() = SmallOpened();
  stream.Write(response);
}

void AdmitWithCredits(ScriptedServer::Stream& stream) {
  v1::DecodeRequest request;
  stream.Read(&request);
  v1::DecodeResponse response;
  *response.mutable_opened() = CreditedOpened(request.open());
  stream.Write(response);
}

v1::DecodeRequest ReadUntil(ScriptedServer::Stream& stream, v1::DecodeRequest::MessageCase kind) {
  v1::DecodeRequest request;
  while (stream.Read(&request)) {
    if (request.message_case() == kind) return request;
  }
  return {};
}

void Send(ScriptedServer::Stream& stream, const v1::FrameDropped& dropped) {
  v1::DecodeResponse response;
  *response.mutable_frame_dropped() = dropped;
  stream.Write(response);
}

void Send(ScriptedServer::Stream& stream, const v1::InputCredit& credit) {
  v1::DecodeResponse response;
  *response.mutable_input_credit() = credit;
  stream.Write(response);
}

void Send(ScriptedServer::Stream& stream, const v1::Notice& notice) {
  v1::DecodeResponse response;
  *response.mutable_notice() = notice;
  stream.Write(response);
}

void Send(ScriptedServer::Stream& stream, const v1::Frame& frame) {
  v1::DecodeResponse response;
  *response.mutable_frame() = frame;
  stream.Write(response);
}

void Send(ScriptedServer::Stream& stream, const v1::ChunkDone& done) {
  v1::DecodeResponse response;
  *response.mutable_chunk_done() = done;
  stream.Write(response);
}

void Send(ScriptedServer::Stream& stream, const v1::ChunkError& error) {
  v1::DecodeResponse response;
  *response.mutable_chunk_error() = error;
  stream.Write(response);
}

void Send(ScriptedServer::Stream& stream, const v1::Summary& summary) {
  v1::DecodeResponse response;
  *response.mutable_summary() = summary;
  stream.Write(response);
}

v1::Frame Fragment(std::uint64_t frame_index, std::uint64_t chunk_seq, int index, int count,
                   std::size_t bytes, char fill, bool last_of_chunk) {
  v1::Frame frame;
  frame.set_frame_index(frame_index);
  frame.set_chunk_seq(chunk_seq);
  frame.mutable_fragment()->set_index(index);
  frame.mutable_fragment()->set_count(count);
  frame.set_last_of_chunk(last_of_chunk);
  frame.set_payload(std::string(bytes, fill));
  return frame;
}

v1::ChunkDone Done(std::uint64_t chunk_seq, std::uint64_t first_frame, int frame_count) {
  v1::ChunkDone done;
  done.set_chunk_seq(chunk_seq);
  done.set_first_frame_index(first_frame);
  done.set_frame_count(frame_count);
  return done;
}

v1::Summary Totals(std::uint64_t chunks, std::uint64_t frames) {
  v1::Summary summary;
  summary.set_chunks(chunks);
  summary.set_frames(frames);
  return summary;
}

grpc::Status ServeHonestly(ScriptedServer::Stream& stream, int fragments) {
  v1::DecodeRequest request;
  if (!stream.Read(&request)) return grpc::Status::OK;
  const v1::Open open = request.open();
  v1::Opened opened = SmallOpened();
  opened.set_frame_bytes(std::int64_t{3} * open.geometry().height() * open.geometry().width());
  v1::DecodeResponse response;
  *response.mutable_opened() = opened;
  stream.Write(response);

  std::uint64_t chunks = 0;
  std::uint64_t frames = 0;
  while (stream.Read(&request) && request.has_latent_chunk()) {
    const v1::LatentChunk& chunk = request.latent_chunk();
    const int count = chunk.latents() * 4 - (frames == 0 ? 3 : 0);
    const std::uint64_t first = frames;
    for (int i = 0; i < count; ++i, ++frames) {
      const std::size_t whole = static_cast<std::size_t>(opened.frame_bytes());
      const std::size_t part = (whole + fragments - 1) / fragments;
      for (int j = 0; j < fragments; ++j) {
        const std::size_t bytes = std::min(part, whole - part * static_cast<std::size_t>(j));
        Send(stream, Fragment(frames, chunk.chunk_seq(), j, fragments, bytes,
                              static_cast<char>(frames), i == count - 1));
      }
    }
    Send(stream, Done(chunk.chunk_seq(), first, count));
    ++chunks;
  }
  Send(stream, Totals(chunks, frames));
  return grpc::Status::OK;
}

}  // namespace causeway::client
