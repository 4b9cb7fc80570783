// SPDX-License-Identifier: Apache-2.0
// The decode stream from the client's side: connect, open a session, send chunks of latents, take
// frames as they come. Fragments, limits and the order of messages are handled here; files, pixels
// and pacing are not. client/README.md has the loop in twenty lines.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>

#include "causeway/v1/decode.grpc.pb.h"
#include "client/lib/chunk_ledger.h"
#include "client/lib/decode_error.h"
#include "client/lib/frame_assembler.h"

namespace causeway::client {

struct ClientOptions {
  std::string server = "127.0.0.1:50051";           // HOST:PORT or unix:PATH
  std::chrono::milliseconds connect_timeout{5000};  // for the connection, not for the session
};

/// What a session reports, in the order in which the server sent it.
using Event = std::variant<Frame, v1::ChunkDone, v1::ChunkError, v1::Summary>;

/// One open session. Used by one thread at a time; Cancel() may be called from any thread.
/// Destroying it before Summary cancels the stream.
class DecodeSession {
 public:
  ~DecodeSession();
  DecodeSession(const DecodeSession&) = delete;
  DecodeSession& operator=(const DecodeSession&) = delete;

  /// What the server promised: limits, frame rule, bytes of a frame.
  const v1::Opened& opened() const { return opened_; }

  /// Whether SendChunk may be called now. Next() makes room.
  bool has_room() const { return ledger_.has_room(); }

  /// Sends `latents` consecutive latents and returns the chunk's chunk_seq. `payload`:
  /// latent_channels * latents * height/8 * width/8 elements in the format and axes of Open.
  /// Blocks only while the transport is full. Precondition: has_room(), and no End() before.
  /// Throws DecodeError, with nothing sent, where the chunk exceeds a limit or its size is wrong.
  /// A stream that has broken is reported by Next(), after the frames that came before.
  std::uint64_t SendChunk(std::int32_t latents, std::string payload);

  /// Says that no more chunks follow.
  void End();

  /// Blocks until the next event. Summary is the last one and only comes after End(); after it, or
  /// after an exception, the session is over. Throws DecodeError where the stream failed or an
  /// answer breaks the protocol. A ChunkError's chunk may be sent again, corrected, unless later
  /// chunks were already on their way: the server then ends the session.
  Event Next();

  /// Ends the session at once: Next() throws DecodeError with code CANCELLED.
  void Cancel() { context_->TryCancel(); }

 private:
  friend class DecodeClient;
  using Stream = grpc::ClientReaderWriter<v1::DecodeRequest, v1::DecodeResponse>;
  DecodeSession(std::unique_ptr<grpc::ClientContext> context, std::unique_ptr<Stream> stream,
                v1::Opened opened, std::int64_t latent_bytes);

  std::unique_ptr<grpc::ClientContext> context_;
  std::unique_ptr<Stream> stream_;
  v1::Opened opened_;
  std::int64_t latent_bytes_;
  ChunkLedger ledger_;
  FrameAssembler assembler_;
  bool is_finished_ = false;
};

/// A connection to one server. Thread-safe.
class DecodeClient {
 public:
  /// Does not connect yet.
  explicit DecodeClient(ClientOptions options);

  /// Connects where needed, opens a session and waits until the server admits it.
  /// Throws DecodeError: the server cannot be reached within the connect timeout, or refuses.
  std::unique_ptr<DecodeSession> Open(const v1::Open& open);

 private:
  ClientOptions options_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<v1::Decoder::Stub> stub_;
};

}  // namespace causeway::client
