// SPDX-License-Identifier: Apache-2.0
#include "server/session/session.h"

#include <algorithm>
#include <span>
#include <utility>

#include "server/session/open_check.h"

namespace causeway {
namespace {

Failure DrainingFailure() { return {Reason::kDraining, "the server is shutting down", "", "", ""}; }

}  // namespace

Session::Session(SessionOptions options, DecodeWorker& worker, Scheduler& scheduler,
                 CapacityLedger& ledger, std::weak_ptr<SessionSink> sink)
    : options_(std::move(options)),
      worker_(worker),
      scheduler_(scheduler),
      ledger_(ledger),
      sink_(std::move(sink)) {
  limits_.max_message_bytes = options_.max_message_bytes;
  limits_.max_pending_chunks = options_.max_pending_chunks;
}

// ---- events ---------------------------------------------------------------------------------

void Session::OnOpen(Result<OpenRequest> request) {
  {
    const std::lock_guard lock(mutex_);
    if (Enter(StreamEvent::kOpen)) {
      if (request.ok()) {
        Admit(request.value());
      } else {
        Fail(request.failure());
      }
    }
  }
  Notify();
}

void Session::OnChunk(ChunkRequest chunk) {
  const Clock::time_point arrival = options_.now();
  bool is_whole = false;
  {
    const std::lock_guard lock(mutex_);
    is_whole = Enter(StreamEvent::kChunk) && CheckChunk(chunk);
  }
  if (is_whole) {
    // Without the lock: a large chunk takes milliseconds, and the decode thread may want to
    // deliver.
    Result<std::vector<float>> elements =
        worker_.UnpackChunk(request_.spec, std::as_bytes(std::span(chunk.payload)), chunk.latents);
    const std::lock_guard lock(mutex_);
    if (state_ == StreamState::kStreaming) {
      if (elements.ok()) {
        AcceptChunk(chunk, std::move(elements.value()), arrival);
      } else {
        RefuseChunk(chunk.seq, elements.failure());
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
      if (event == StreamEvent::kCancel) {
        Close({EndOutput::Outcome::kCancelled, {}});
      }
      EndIfIdle();
    }
    given_back = TakeHoldings();
  }
  Notify();
}

std::optional<Output> Session::NextOutput() {
  Holdings given_back;
  const std::lock_guard lock(mutex_);
  std::optional<Output> output = outputs_.Take(options_.now());
  if (!output) return output;
  if (std::holds_alternative<ChunkDoneOutput>(*output) ||
      std::holds_alternative<ChunkErrorOutput>(*output)) {
    --pending_chunks_;
  }
  ScheduleIfReady();
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
    chunk = chunks_.front();
    if (chunk->decoded == 0) chunk->done.timing.queue = options_.now() - chunk->arrival;
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
    if (is_scheduled_) next_due = options_.now();
    given_back = TakeHoldings();
  }
  Notify();
  return next_due;
}

Result<decoder::DecodedLatent> Session::Decode(const Chunk& chunk) {
  if (holdings_.stream == nullptr) {
    Result<std::unique_ptr<LatentStream>> stream = worker_.OpenStream(request_.spec);
    if (!stream.ok()) return stream.failure();
    holdings_.stream = std::move(stream.value());
  }
  const std::size_t elements = chunk.elements.size() / static_cast<std::size_t>(chunk.latents);
  return holdings_.stream->DecodeLatent(
      std::span(chunk.elements)
          .subspan(elements * static_cast<std::size_t>(chunk.decoded), elements));
}

void Session::Deliver(const std::shared_ptr<Chunk>& chunk, decoder::DecodedLatent decoded) {
  ChunkDoneOutput& done = chunk->done;
  if (chunk->decoded == 0) done.first_frame_index = totals_.frames;
  ++chunk->decoded;
  const bool is_chunk_complete = chunk->decoded == chunk->latents;

  const auto frame_bytes = static_cast<std::size_t>(decoded.frame_bytes);
  const SharedPixels pixels =
      std::make_shared<const std::vector<std::byte>>(std::move(decoded.pixels));
  for (int index = 0; index < decoded.frame_count; ++index) {
    FragmentOutput frame;
    frame.frame_index = totals_.frames++;
    frame.chunk_seq = chunk->seq;
    frame.is_last_of_chunk = is_chunk_complete && index + 1 == decoded.frame_count;
    frame.payload =
        std::span(*pixels).subspan(frame_bytes * static_cast<std::size_t>(index), frame_bytes);
    frame.pixels = pixels;
    outputs_.PushFrame(std::move(frame));
  }

  ++totals_.latents;
  totals_.bytes_out += decoded.frame_count * decoded.frame_bytes;
  totals_.decode += decoded.times.total;
  done.frame_count += decoded.frame_count;
  done.timing.decode += decoded.times.total;
  done.timing.pack += decoded.times.duration(decoder::Category::kPostprocess);
  if (done.kernel_times) *done.kernel_times += decoded.times;
  if (is_chunk_complete) {
    ++totals_.chunks;
    outputs_.Push(done);
    chunks_.pop_front();
  }
  EndIfIdle();
}

// ---- steps, with the lock held ----------------------------------------------------------------

bool Session::Enter(StreamEvent event) {
  const StreamState before = state_;
  const Transition& transition = NextState(before, event);
  if (transition.is_ignored) return false;
  if (!transition.refusal) {
    state_ = transition.next;
    return true;
  }
  if (*transition.refusal == Reason::kDraining) {
    Fail(DrainingFailure());
  } else {
    Fail(BadField(*transition.refusal, "message", std::string(EventName(event)),
                  std::string(AllowedMessages(before))));
  }
  return false;
}

void Session::Admit(const OpenRequest& request) {
  Result<OpenTerms> terms = CheckOpen(request, worker_, options_.max_message_bytes);
  if (!terms.ok()) return Fail(terms.failure());
  const std::int64_t state_bytes = terms.value().facts.state_bytes;
  Result<Reservation> reservation = ledger_.Reserve(state_bytes);
  if (!reservation.ok()) return Fail(reservation.failure());

  holdings_.reservation = std::make_shared<Reservation>(std::move(reservation.value()));
  reserved_bytes_ = state_bytes;
  is_admitted_ = true;
  request_ = request;
  facts_ = terms.value().facts;
  limits_.max_chunk_latents = terms.value().max_chunk_latents;
  outputs_.set_fragment_bytes(terms.value().fragment_bytes);
  outputs_.Push(OpenedOutput{options_.session_id, facts_, limits_});
}

bool Session::CheckChunk(const ChunkRequest& chunk) {
  if (pending_chunks_ >= options_.max_pending_chunks) {
    Fail(BadField(Reason::kInputOverrun, "limits.max_pending_chunks",
                  "chunk " + std::to_string(chunk.seq) + " while " +
                      std::to_string(pending_chunks_) + " are pending",
                  "at most " + std::to_string(options_.max_pending_chunks) + " pending chunks"));
    return false;
  }
  if (chunk.seq != next_seq_) {
    Fail(BadField(Reason::kChunkSeqGap, "latent_chunk.chunk_seq", std::to_string(chunk.seq),
                  std::to_string(next_seq_)));
    return false;
  }
  if (chunk.latents < 1) {
    RefuseChunk(chunk.seq, BadField(Reason::kBadOption, "latent_chunk.latents",
                                    std::to_string(chunk.latents), "at least 1"));
    return false;
  }
  if (chunk.latents > limits_.max_chunk_latents) {
    RefuseChunk(chunk.seq, BadField(Reason::kChunkTooLong, "latent_chunk.latents",
                                    std::to_string(chunk.latents),
                                    "at most " + std::to_string(limits_.max_chunk_latents)));
    return false;
  }
  const std::int64_t expected = facts_.latent_bytes * chunk.latents;
  if (static_cast<std::int64_t>(chunk.payload.size()) != expected) {
    RefuseChunk(chunk.seq, BadField(Reason::kPayloadSizeMismatch, "latent_chunk.payload",
                                    std::to_string(chunk.payload.size()) + " bytes",
                                    std::to_string(expected) + " bytes for " +
                                        std::to_string(chunk.latents) + " latents"));
    return false;
  }
  return true;
}

void Session::RefuseChunk(std::uint64_t seq, Failure failure) {
  ++pending_chunks_;
  ++totals_.chunk_errors;
  outputs_.Push(ChunkErrorOutput{seq, std::move(failure)});
}

void Session::AcceptChunk(const ChunkRequest& chunk, std::vector<float> elements,
                          Clock::time_point arrival) {
  auto accepted = std::make_shared<Chunk>();
  accepted->seq = chunk.seq;
  accepted->latents = chunk.latents;
  accepted->elements = std::move(elements);
  accepted->arrival = arrival;
  accepted->done.chunk_seq = chunk.seq;
  accepted->done.timing.pack = options_.now() - arrival;
  if (request_.wants_kernel_timing) accepted->done.kernel_times.emplace();
  chunks_.push_back(std::move(accepted));
  ++next_seq_;
  ++pending_chunks_;
  totals_.bytes_in += static_cast<std::int64_t>(chunk.payload.size());
  ScheduleIfReady();
}

void Session::Fail(Failure failure) { Close({EndOutput::Outcome::kFailed, std::move(failure)}); }

void Session::Close(EndOutput end) {
  state_ = StreamState::kEnded;
  chunks_.clear();
  if (end.outcome == EndOutput::Outcome::kCancelled) {
    outputs_.Cancel();
  } else {
    outputs_.Push(std::move(end));
  }
}

void Session::EndIfIdle() {
  if (!chunks_.empty()) return;
  if (state_ == StreamState::kFinishing) {
    outputs_.Push(totals_);
    Close({EndOutput::Outcome::kOk, {}});
  } else if (state_ == StreamState::kStopping) {
    Fail(DrainingFailure());
  }
}

bool Session::CanDecode() const {
  const int most_frames = std::max(facts_.first_latent_frames, facts_.per_latent_frames);
  return !chunks_.empty() && outputs_.waiting_frames() + most_frames <= options_.max_waiting_frames;
}

void Session::ScheduleIfReady() {
  if (is_scheduled_ || !CanDecode()) return;
  is_scheduled_ = true;
  scheduler_.Schedule(shared_from_this(), options_.now());
}

Session::Holdings Session::TakeHoldings() {
  Holdings taken;
  if (state_ != StreamState::kEnded || is_running_) return taken;
  taken.reservation = holdings_.reservation;
  taken.stream = std::move(holdings_.stream);
  if (outputs_.is_finished()) holdings_.reservation.reset();
  return taken;
}

void Session::Notify() {
  if (const std::shared_ptr<SessionSink> sink = sink_.lock()) sink->OnOutputReady();
}

}  // namespace causeway
