// SPDX-License-Identifier: Apache-2.0
// One decode stream on the server, without its transport: takes the client's messages as events,
// decodes on the scheduler's thread, and holds the output until the transport takes it.
//
//   transport --OnOpen, OnChunk, OnEnd, ...--> Session --Schedule--> Scheduler --RunUnit--> Session
//   transport <--OnOutputReady; NextOutput---- Session
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "server/scheduler/scheduler.h"
#include "server/session/capacity.h"
#include "server/session/chunk_intake.h"
#include "server/session/media_clock.h"
#include "server/session/messages.h"
#include "server/session/output_queue.h"
#include "server/session/stream_state.h"

namespace causeway {

/// The transport's side of a session.
class SessionSink {
 public:
  virtual ~SessionSink() = default;

  /// NextOutput may have something. Called on any thread, with no lock of the session held; must
  /// not wait.
  virtual void OnOutputReady() = 0;
};

struct SessionOptions {
  std::string session_id;
  int max_message_bytes = 8 * 1024 * 1024;
  int max_pending_chunks = 4;  // accepted or refused, and the answer not yet taken
  int max_waiting_frames = 8;  // decoded and not yet taken; at least twice the frames of a latent
  std::chrono::milliseconds idle_timeout{0};  // 0: never
  std::chrono::milliseconds credit_timeout{30'000};
  std::chrono::milliseconds drain_grace{0};  // what GO_AWAY tells
  std::function<Clock::time_point()> now = Clock::now;
};

/// What the log says about a session.
struct SessionReport {
  std::optional<OpenRequest> request;  // once it is admitted
  std::int64_t reserved_bytes = 0;
  SummaryOutput totals;
};

/// Thread-safe; events of one client come one after the other. Never waits for the decoder. The
/// worker, the scheduler and the ledger outlive it. Its cache is freed as soon as nothing is
/// decoded any more, its reservation once the EndOutput is taken too.
class Session : public WorkSource, public std::enable_shared_from_this<Session> {
 public:
  Session(SessionOptions options, DecodeWorker& worker, Scheduler& scheduler,
          CapacityLedger& ledger, std::weak_ptr<SessionSink> sink);

  /// A Failure is an Open that could not be understood.
  void OnOpen(Result<OpenRequest> request);
  void OnChunk(ChunkRequest message);
  void OnReset(std::uint64_t at_seq);
  void OnCredit(int frames);
  void OnPing(PingRequest ping);
  /// Any other event of the table.
  void OnEvent(StreamEvent event);
  /// To be called every now and then: looks whether a time is over.
  void OnTick();

  /// The next output; the one before it was written. Ends with an EndOutput, once.
  std::optional<Output> NextOutput();

  /// Decodes one latent.
  std::optional<Clock::time_point> RunUnit() override;

  SessionReport report() const;
  const std::string& id() const { return options_.session_id; }

 private:
  struct Chunk {
    std::uint64_t seq = 0;
    std::uint64_t epoch = 0;
    bool resets = false;  // before its first latent
    int latents = 0;
    std::vector<float> elements;  // [latents][C, h, w]
    int decoded = 0;              // latents
    std::int64_t pts = 0;
    std::optional<Clock::time_point> due;  // of its first frame, by its own deadline
    ChunkDoneOutput done;                  // filled as the chunk is decoded
  };

  /// What is given back when a session ends. The reservation is shared with whoever is about to
  /// destroy the stream, so that it is given back last.
  struct Holdings {
    std::shared_ptr<Reservation> reservation;
    std::unique_ptr<LatentStream> stream;

    void Free() {
      stream.reset();
      reservation.reset();
    }
  };

  // All of these with mutex_ held.
  bool Enter(StreamEvent event);
  /// What Opened will say, where the request is admitted.
  std::optional<OpenedOutput> Admit(const OpenRequest& request);
  std::optional<WholeChunk> TakeMessage(ChunkRequest message, std::uint32_t crc32c);
  void RefuseChunk(ChunkErrorOutput error);
  void AcceptChunk(const WholeChunk& whole, std::vector<float> elements,
                   std::chrono::nanoseconds unpacking);
  void Deliver(const std::shared_ptr<Chunk>& chunk, decoder::DecodedLatent decoded);
  void PushFrame(const Chunk& chunk, const SharedPixels& pixels, int index, int count);
  void Account(Output& output);
  void Answered(std::int64_t input_bytes);
  void CheckIdle();
  void Fail(Failure failure);
  void Close(EndOutput end);
  void Settle();
  void EndIfDone();
  void TrackCreditWait();
  std::chrono::nanoseconds CreditWait() const;
  bool drops_oldest() const {
    return request_.delivery && request_.delivery->mode == DeliveryMode::kDropOldest;
  }
  bool CanDecode() const;
  Clock::time_point NextDue() const;
  Holdings TakeHoldings();

  void MakeCache(OpenedOutput opened);
  void Receive(ChunkRequest message);
  Result<decoder::DecodedLatent> Decode(const Chunk& chunk);
  void Notify();

  const SessionOptions options_;
  DecodeWorker& worker_;
  Scheduler& scheduler_;
  CapacityLedger& ledger_;
  const std::weak_ptr<SessionSink> sink_;

  mutable std::mutex mutex_;
  StreamState state_ = StreamState::kAwaitingOpen;
  OpenRequest request_;  // constant once admitted
  StreamFacts facts_;    // likewise
  StreamLimits limits_;  // likewise
  bool is_admitted_ = false;
  std::deque<std::shared_ptr<Chunk>> chunks_;  // accepted and not decoded to the end
  ChunkIntake intake_;
  MediaClock clock_;
  SummaryOutput totals_;
  OutputQueue outputs_;
  std::int64_t reserved_bytes_ = 0;
  Holdings holdings_;
  bool is_scheduled_ = false;  // queued at the scheduler or running
  bool is_running_ = false;    // a latent is being decoded: holdings_.stream is in use

  Clock::time_point quiet_since_;  // nothing was heard or said
  bool is_idle_warned_ = false;
  bool is_frame_late_ = false;  // of the frame whose fragments are being taken
  std::optional<Clock::time_point> credit_wait_start_;  // only for want of credit nothing happens
  std::chrono::nanoseconds credit_wait_{0};             // before that
};

}  // namespace causeway
