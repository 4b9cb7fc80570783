// SPDX-License-Identifier: Apache-2.0
// One decode stream from the client's side: chunks of latents in, frames as they come out.
// Fragments, credits, limits and the order of messages are handled here; files, pixels and the
// media clock are not. client/README.md has the loop in twenty lines.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "causeway/v1/decode.grpc.pb.h"
#include "client/lib/chunk_ledger.h"
#include "client/lib/chunk_splitter.h"
#include "client/lib/decode_error.h"
#include "client/lib/frame_assembler.h"
#include "client/lib/frame_credits.h"
#include "client/lib/input_credits.h"
#include "client/lib/message_reader.h"

namespace causeway::client {

struct SessionOptions {
  /// What becomes of latents that do not fit into one message.
  enum class Oversize {
    kSplit,     // several chunks
    kFragment,  // one chunk in several messages, as far as the server's input credits allow
  };
  Oversize oversize = Oversize::kSplit;
  /// The largest message to send, for a proxy that takes less than the server; 0: the server's.
  std::int32_t max_message_bytes = 0;
  /// Whether a frame counts as consumed once Next() is called again. Otherwise the caller says so
  /// by FramesConsumed(): a player on its own clock.
  bool consumes_by_itself = true;
};

/// The answer to Ping().
struct RoundTrip {
  std::chrono::steady_clock::duration time;
};

/// What a session reports, in the order in which the server sent it.
using Event = std::variant<Frame, v1::FrameDropped, v1::ChunkAccepted, v1::ChunkDone,
                           v1::ChunkError, v1::Notice, RoundTrip, v1::Summary>;

/// One open session, made by DecodeClient::Open. Used by one thread at a time; Cancel() may be
/// called from any thread. Destroying it before Summary cancels the stream.
class DecodeSession {
 public:
  using Clock = std::chrono::steady_clock;

  ~DecodeSession();
  DecodeSession(const DecodeSession&) = delete;
  DecodeSession& operator=(const DecodeSession&) = delete;

  /// What the server promised: limits, frame rule, bytes of a frame.
  const v1::Opened& opened() const { return opened_; }

  /// A server without credits, checksums, resets, pings and notices.
  bool is_first_version() const { return !opened_.has_input_credits(); }

  /// The most latents that SendChunk sends as one chunk.
  std::int32_t max_chunk_latents() const;

  /// Whether SendChunk may be called now. Next() makes room. False for good after End(), and after
  /// a Notice of GO_AWAY: the server takes no more.
  bool has_room() const {
    return outbox_.empty() && !has_ended_ && !is_going_away_ && input_credits_.has_chunk();
  }

  /// Sends consecutive latents and returns the chunk_seq of their chunk. What exceeds the limits of
  /// a chunk or a message is split (SessionOptions); the parts are chunks of their own, numbered
  /// on, and those without a credit go out inside Next(). Blocks only while the transport is full.
  /// Precondition: has_room(). Throws DecodeError, with nothing sent, where the payload has the
  /// wrong size. A stream that has broken is reported by Next(), after the frames that came before.
  std::uint64_t SendChunk(Latents latents);
  std::uint64_t SendChunk(std::int32_t latents, std::string payload) {
    return SendChunk({latents, std::move(payload), 0, 0});
  }

  /// Drops all history right before the next chunk, which then equals the first one of a new
  /// session. Precondition: no part of a chunk waits. Throws DecodeError(NOT_IMPLEMENTED) at a
  /// first-version server.
  void Reset();

  /// Measures the way to the server and back, whatever it decodes: Next() hands out a RoundTrip.
  /// Nothing happens at a first-version server.
  void Ping();

  /// Gives places in the window back to the server, where SessionOptions leave that to the caller.
  void FramesConsumed(std::int32_t frames);

  /// Says that no more chunks follow those handed over.
  void End();

  /// Blocks until the next event. Summary is the last one and only comes after End(); after it, or
  /// after an exception, the session is over. Throws DecodeError where the stream failed or an
  /// answer breaks the protocol. A ChunkError's chunk may be sent again, corrected, unless later
  /// chunks were already on their way: the server then ends the session. Parts of its latents that
  /// were still waiting are thrown away.
  Event Next() { return *NextUntil(Clock::time_point::max()); }

  /// The same, but returns nothing where no event came until `deadline`.
  std::optional<Event> NextUntil(Clock::time_point deadline);

  /// Ends the session at once: Next() throws DecodeError with code CANCELLED.
  void Cancel() { context_->TryCancel(); }

 private:
  friend class DecodeClient;
  using Stream = MessageReader::Stream;
  DecodeSession(std::unique_ptr<grpc::ClientContext> context, std::unique_ptr<Stream> stream,
                v1::Open open, v1::Opened opened, const SessionOptions& options);

  std::int64_t MaxPayloadBytes() const;
  void Flush();
  void SendCredits();
  std::optional<Event> Take(MessageReader::Received received);
  std::optional<Event> TakeFrame(v1::Frame message, Clock::time_point at);
  Event TakePong(const v1::Pong& pong, Clock::time_point at);
  Event TakeSummary(v1::Summary summary);
  void FinishStream();

  std::unique_ptr<grpc::ClientContext> context_;
  std::unique_ptr<Stream> stream_;
  v1::Open open_;
  v1::Opened opened_;
  SessionOptions options_;
  std::int64_t latent_bytes_;
  ChunkLedger ledger_;
  InputCredits input_credits_;
  FrameCredits frame_credits_;
  FrameAssembler assembler_;
  std::deque<Latents> outbox_;           // parts that wait for credits
  std::deque<Clock::time_point> pings_;  // not yet answered
  bool is_frame_out_ = false;            // the caller has a frame that is not consumed
  bool has_ended_ = false;
  bool is_end_sent_ = false;
  bool is_going_away_ = false;
  bool is_finished_ = false;
  std::optional<MessageReader> reader_;  // the last member: it reads the others' stream
};

}  // namespace causeway::client
