// SPDX-License-Identifier: Apache-2.0
#include "server/session/session.h"

#include <algorithm>
#include <span>
#include <utility>

#include "server/base/crc32c.h"
#include "server/session/open_check.h"

namespace causeway {

Session::Session(SessionOptions options, DecodeWorker& worker, Scheduler& scheduler,
                 CapacityLedger& ledger, std::weak_ptr<SessionSink> sink)
    : options_(std::move(options)),
      worker_(worker),
      scheduler_(scheduler),
      ledger_(ledger),
      sink_(std::move(sink)),
      quiet_since_(options_.now()) {
  limits_.max_message_bytes = options_.max_message_bytes;
  limits_.max_pending_chunks = options_.max_pending_chunks;
  limits_.max_pending_bytes =
      std::int64_t{options_.max_pending_chunks} * options_.max_message_bytes;
  limits_.max_frame_credits = kMaxFrameCredits;
}

// ---- events ---------------------------------------------------------------------------------

void Session::OnOpen(Result<OpenRequest> request) {
  std::optional<OpenedOutput> opened;
  {
    const std::lock_guard lock(mutex_);
    if (Enter(StreamEvent::kOpen)) {
      if (request.ok()) {
        opened = Admit(request.value());
      } else {
        Fail(request.failure());
      }
    }
  }
  if (opened) MakeCache(*std::move(opened));
  Notify();
}

// Before Opened, so that the first latent does not pay for it; without the lock, as fresh memory is
// cleared for milliseconds. The client sends nothing until Opened, so only this stream waits.
void Session::MakeCache(OpenedOutput opened) {
  std::shared_ptr<Reservation> reservation;
  {
    const std::lock_guard lock(mutex_);
    reservation = holdings_.reservation;
  }
  // After the reservation: what is made here goes before that is given back.
  Result<std::unique_ptr<LatentStream>> stream = worker_.OpenStream(request_.spec);
  const std::lock_guard lock(mutex_);
  if (state_ == StreamState::kEnded) return;
  if (!stream.ok()) return Fail(stream.failure());
  holdings_.stream = std::move(stream.value());
  outputs_.PushUrgent(std::move(opened));
}

void Session::OnChunk(ChunkRequest message) {
  bool is_due = false;
  {
    const std::lock_guard lock(mutex_);
    is_due = Enter(StreamEvent::kChunk);
  }
  if (is_due) Receive(std::move(message));
  Notify();
}

// Checksum and unpacking without the lock: a large chunk takes milliseconds, and the decode thread
// may want to deliver.
void Session::Receive(ChunkRequest message) {
  const std::uint32_t crc32c =
      request_.has_checksums ? Crc32c(std::as_bytes(std::span(message.payload))) : 0;
  std::optional<WholeChunk> whole;
  {
    const std::lock_guard lock(mutex_);
    if (state_ == StreamState::kStreaming) whole = TakeMessage(std::move(message), crc32c);
  }
  if (!whole) return;
  const ChunkRequest& chunk = whole->request;
  const Clock::time_point start = options_.now();
  Result<std::vector<float>> elements =
      worker_.UnpackChunk(request_.spec, std::as_bytes(std::span(chunk.payload)), chunk.latents);
  const Clock::time_point end = options_.now();
  const std::lock_guard lock(mutex_);
  if (state_ != StreamState::kStreaming) return;
  if (elements.ok()) {
    AcceptChunk(*whole, std::move(elements.value()), end - start);
  } else {
    RefuseChunk(intake_.Refuse(chunk, elements.failure()));
  }
  Settle();
}

void Session::OnReset(std::uint64_t at_seq) {
  {
    const std::lock_guard lock(mutex_);
    if (Enter(StreamEvent::kReset)) {
      if (auto failure = intake_.HoldReset(at_seq)) Fail(*failure);
    }
  }
  Notify();
}

void Session::OnCredit(int frames) {
  {
    const std::lock_guard lock(mutex_);
    if (Enter(StreamEvent::kCredit)) {
      if (frames < 0) {
        Fail(BadField(Reason::kBadOption, "credit.frames", std::to_string(frames), "0 or more"));
      } else if (const std::optional<int> credits = outputs_.frame_credits()) {
        outputs_.set_frame_credits(*credits + std::min(frames, kMaxFrameCredits - *credits));
      }
      Settle();
    }
  }
  Notify();
}

void Session::OnPing(PingRequest ping) {
  {
    const std::lock_guard lock(mutex_);
    if (Enter(StreamEvent::kPing)) {
      if (ping.payload.size() > kMaxPingBytes) {
        Fail(BadField(Reason::kBadOption, "ping.payload",
                      std::to_string(ping.payload.size()) + " bytes",
                      "at most " + std::to_string(kMaxPingBytes) + " bytes"));
      } else {
        outputs_.PushPong({std::move(ping), options_.now()});
      }
    }
  }
  Notify();
}

void Session::OnEvent(StreamEvent event) {
  Holdings given_back;
  {
    const std::lock_guard lock(mutex_);
    if (Enter(event)) {
      if (event == StreamEvent::kCancel) Close({EndOutput::Outcome::kCancelled, {}});
      // Nobody can grant credits any more.
      if (event == StreamEvent::kHalfClose) outputs_.set_frame_credits(std::nullopt);
      // Opened is a stream's first message: before it, the end says enough.
      if (event == StreamEvent::kDrain && holdings_.stream != nullptr) {
        outputs_.PushUrgent(
            NoticeOutput{NoticeOutput::Kind::kGoAway, options_.drain_grace, facts_.replay_latents});
      }
      Settle();
    }
    given_back = TakeHoldings();
  }
  given_back.Free();  // before anybody hears of the end
  Notify();
}

void Session::OnTick() {
  Holdings given_back;
  {
    const std::lock_guard lock(mutex_);
    CheckIdle();
    if (credit_wait_start_ && options_.now() - *credit_wait_start_ >= options_.credit_timeout) {
      Enter(StreamEvent::kSlowConsumer);
    }
    given_back = TakeHoldings();
  }
  given_back.Free();  // before anybody hears of the end
  Notify();
}

std::optional<Output> Session::NextOutput() {
  Holdings given_back;
  const std::lock_guard lock(mutex_);
  std::optional<Output> output = outputs_.Take(options_.now());
  if (!output) return output;
  Account(*output);
  Settle();
  given_back = TakeHoldings();
  return output;
}

SessionReport Session::report() const {
  const std::lock_guard lock(mutex_);
  SessionReport report;
  if (is_admitted_) report.request = request_;
  report.reserved_bytes = reserved_bytes_;
  report.totals = totals_;
  return report;
}

// ---- on the scheduler's thread ------------------------------------------------------------------

std::optional<Clock::time_point> Session::RunUnit() {
  std::shared_ptr<Chunk> chunk;
  {
    const std::lock_guard lock(mutex_);
    if (!CanDecode()) {
      is_scheduled_ = false;
      return std::nullopt;
    }
    is_running_ = true;
    TrackCreditWait();
    chunk = chunks_.front();
    if (chunk->decoded == 0) chunk->done.timing.queue = options_.now() - chunk->done.arrival;
  }

  Result<decoder::DecodedLatent> decoded = Decode(*chunk);

  std::optional<Clock::time_point> next_due;
  Holdings given_back;
  {
    const std::lock_guard lock(mutex_);
    is_running_ = false;
    if (state_ != StreamState::kEnded) {
      if (decoded.ok()) {
        Deliver(chunk, std::move(decoded.value()));
      } else {
        Failure failure = decoded.failure();
        failure.message = "chunk " + std::to_string(chunk->seq) + ": " + failure.message;
        Fail(std::move(failure));
      }
    }
    is_scheduled_ = CanDecode();
    if (is_scheduled_) next_due = NextDue();
    Settle();
    given_back = TakeHoldings();
  }
  given_back.Free();
  Notify();
  return next_due;
}

Result<decoder::DecodedLatent> Session::Decode(const Chunk& chunk) {
  // A stream that nothing was decoded of yet is as new.
  if (chunk.resets && chunk.decoded == 0) {
    const Result<std::monostate> reset = holdings_.stream->Reset();
    if (!reset.ok()) return reset.failure();
  }
  const std::size_t elements = chunk.elements.size() / static_cast<std::size_t>(chunk.latents);
  return holdings_.stream->DecodeLatent(
      std::span(chunk.elements)
          .subspan(elements * static_cast<std::size_t>(chunk.decoded), elements));
}

void Session::Deliver(const std::shared_ptr<Chunk>& chunk, decoder::DecodedLatent decoded) {
  ChunkDoneOutput& done = chunk->done;
  ++chunk->decoded;
  const SharedPixels pixels =
      std::make_shared<const std::vector<std::byte>>(std::move(decoded.pixels));
  for (int index = 0; index < decoded.frame_count; ++index) {
    PushFrame(*chunk, pixels, index, decoded.frame_count);
  }
  ++totals_.latents;
  totals_.frames += static_cast<std::uint64_t>(decoded.frame_count);
  totals_.decode += decoded.times.total;
  done.frame_count += decoded.frame_count;
  done.timing.decode += decoded.times.total;
  done.timing.pack += decoded.times.duration(decoder::Category::kPostprocess);
  if (done.kernel_times) *done.kernel_times += decoded.times;
  if (chunk->decoded == chunk->latents) {
    ++totals_.chunks;
    outputs_.Push(done);
    chunks_.pop_front();
  }
}

void Session::PushFrame(const Chunk& chunk, const SharedPixels& pixels, int index, int count) {
  if (drops_oldest() && outputs_.waiting_frames() >= options_.max_waiting_frames &&
      outputs_.DropOldest()) {
    ++totals_.frames_dropped;
  }
  const int position = chunk.done.frame_count + index;
  const std::size_t frame_bytes = pixels->size() / static_cast<std::size_t>(count);
  FragmentOutput frame;
  frame.frame_index = chunk.done.first_frame_index + static_cast<std::uint64_t>(position);
  frame.chunk_seq = chunk.seq;
  frame.epoch = chunk.epoch;
  frame.is_last_of_chunk = chunk.decoded == chunk.latents && index + 1 == count;
  frame.has_checksum = request_.has_checksums;
  frame.pts = clock_.Pts(chunk.pts, position);
  if (chunk.due) frame.due = clock_.FrameDue(frame.frame_index, chunk.due, position);
  frame.payload =
      std::span(*pixels).subspan(frame_bytes * static_cast<std::size_t>(index), frame_bytes);
  frame.pixels = pixels;
  outputs_.PushFrame(std::move(frame));
}

void Session::Notify() {
  if (const std::shared_ptr<SessionSink> sink = sink_.lock()) sink->OnOutputReady();
}

}  // namespace causeway
