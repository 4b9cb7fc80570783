// SPDX-License-Identifier: Apache-2.0
// A gRPC server on a free port whose Decode does what the test says, right or wrong.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <grpcpp/grpcpp.h>

#include "causeway/v1/decode.grpc.pb.h"

namespace causeway::client {

class ScriptedServer {
 public:
  using Stream = grpc::ServerReaderWriter<v1::DecodeResponse, v1::DecodeRequest>;
  using Script = std::function<grpc::Status(grpc::ServerContext&, Stream&)>;

  explicit ScriptedServer(Script script);
  ~ScriptedServer();

  /// Fills what ListModels, GetModel and GetServerInfo answer with. Without it they are not
  /// implemented. Before the first call only.
  using Description = std::function<void(v1::ListModelsResponse&, v1::ServerInfo&)>;
  void describe(const Description& description);

  /// "127.0.0.1:PORT".
  const std::string& address() const { return address_; }

 private:
  class Service;
  std::unique_ptr<Service> service_;
  std::unique_ptr<grpc::Server> server_;
  std::string address_;
};

/// An Opened of a 16x16 RGB24 session of 4 latent channels: 768 bytes a frame, 32 bytes (F16) a
/// latent, chunks of at most 3 latents, 2 pending.
v1::Opened SmallOpened();

/// SmallOpened of a whole server: credits for 2 chunks and 6 latents of input, and the frame
/// credits that `open` asks for, or 16.
v1::Opened CreditedOpened(const v1::Open& open);

/// The Open that they answer.
v1::Open SmallOpen();

/// Reads one request and writes SmallOpened.
void Admit(ScriptedServer::Stream& stream);

/// Reads one request and writes CreditedOpened.
void AdmitWithCredits(ScriptedServer::Stream& stream);

/// Reads requests until one of that kind comes, and returns it; an empty one at the end.
v1::DecodeRequest ReadUntil(ScriptedServer::Stream& stream, v1::DecodeRequest::MessageCase kind);

void Send(ScriptedServer::Stream& stream, const v1::Frame& frame);
void Send(ScriptedServer::Stream& stream, const v1::ChunkDone& done);
void Send(ScriptedServer::Stream& stream, const v1::ChunkError& error);
void Send(ScriptedServer::Stream& stream, const v1::Summary& summary);
void Send(ScriptedServer::Stream& stream, const v1::FrameDropped& dropped);
void Send(ScriptedServer::Stream& stream, const v1::InputCredit& credit);
void Send(ScriptedServer::Stream& stream, const v1::Notice& notice);

/// A fragment; every byte of its payload is `fill`.
v1::Frame Fragment(std::uint64_t frame_index, std::uint64_t chunk_seq, int index, int count,
                   std::size_t bytes, char fill, bool last_of_chunk);

v1::ChunkDone Done(std::uint64_t chunk_seq, std::uint64_t first_frame, int frame_count);

v1::Summary Totals(std::uint64_t chunks, std::uint64_t frames);

/// Serves a whole session by the rules: every pixel byte of a frame is its index, every frame in
/// `fragments` fragments.
grpc::Status ServeHonestly(ScriptedServer::Stream& stream, int fragments);

}  // namespace causeway::client
