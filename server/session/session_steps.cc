// SPDX-License-Identifier: Apache-2.0
// The steps of a session, all of them with its lock held.
#include <algorithm>
#include <utility>

#include "server/session/open_check.h"
#include "server/session/session.h"

namespace causeway {
namespace {

constexpr std::chrono::seconds kIdleWarning{5};

/// Why a stream fails by that event in that state.
Failure RefusalOf(Reason reason, StreamEvent event, StreamState state) {
  switch (reason) {
    case Reason::kDraining:
      return {reason, "the server is shutting down", "", "", ""};
    case Reason::kIdleTimeout:
      return {reason, "nothing was heard of the client for too long", "", "", ""};
    case Reason::kSlowConsumer:
      return {reason, "frames waited too long for a credit", "", "", ""};
    default:
      return BadField(reason, "message", std::string(EventName(event)),
                      std::string(AllowedMessages(state)));
  }
}

}  // namespace

bool Session::Enter(StreamEvent event) {
  if (event <= kLastMessage) {
    quiet_since_ = options_.now();
    is_idle_warned_ = false;
  }
  const StreamState before = state_;
  const Transition& transition = NextState(before, event);
  if (transition.is_ignored) return false;
  if (!transition.refusal) {
    state_ = transition.next;
    return true;
  }
  Fail(RefusalOf(*transition.refusal, event, before));
  return false;
}

std::optional<OpenedOutput> Session::Admit(const OpenRequest& request) {
  Result<OpenTerms> terms = CheckOpen(request, worker_, options_.max_message_bytes);
  if (!terms.ok()) {
    Fail(terms.failure());
    return std::nullopt;
  }
  const std::int64_t state_bytes = terms.value().facts.state_bytes;
  Result<Reservation> reservation = ledger_.Reserve(state_bytes);
  if (!reservation.ok()) {
    Fail(reservation.failure());
    return std::nullopt;
  }

  holdings_.reservation = std::make_shared<Reservation>(std::move(reservation.value()));
  reserved_bytes_ = state_bytes;
  is_admitted_ = true;
  request_ = request;
  facts_ = terms.value().facts;
  limits_.max_chunk_latents = terms.value().max_chunk_latents;
  intake_.Open(limits_, facts_, request.has_checksums);
  clock_ = MediaClock(request.timing, request.priority);
  outputs_.set_fragment_bytes(terms.value().fragment_bytes);
  outputs_.set_frame_credits(terms.value().frame_credits);
  return OpenedOutput{options_.session_id, facts_, limits_, terms.value().frame_credits.value_or(0),
                      options_.idle_timeout};
}

std::optional<WholeChunk> Session::TakeMessage(ChunkRequest message, std::uint32_t crc32c) {
  ChunkIntake::Verdict verdict = intake_.Take(std::move(message), crc32c, options_.now());
  if (auto* failure = std::get_if<Failure>(&verdict)) {
    Fail(std::move(*failure));
  } else if (auto* error = std::get_if<ChunkErrorOutput>(&verdict)) {
    RefuseChunk(std::move(*error));
  } else if (const auto* credit = std::get_if<InputCreditOutput>(&verdict)) {
    outputs_.AddInputCredit(credit->chunks, credit->bytes);
  } else if (auto* whole = std::get_if<WholeChunk>(&verdict)) {
    return std::move(*whole);
  }
  return std::nullopt;
}

void Session::RefuseChunk(ChunkErrorOutput error) {
  ++totals_.chunk_errors;
  outputs_.PushUrgent(std::move(error));
}

void Session::AcceptChunk(const WholeChunk& whole, std::vector<float> elements,
                          std::chrono::nanoseconds unpacking) {
  const ChunkRequest& request = whole.request;
  const ChunkIntake::Numbers numbers = intake_.Accept(request);
  clock_.OnChunk(numbers.first_frame, whole.last_arrival);
  auto chunk = std::make_shared<Chunk>();
  chunk->seq = request.seq;
  chunk->epoch = numbers.epoch;
  chunk->resets = numbers.resets;
  chunk->latents = request.latents;
  chunk->elements = std::move(elements);
  chunk->pts = request.pts;
  if (request.deadline_us > 0) {
    chunk->due = whole.last_arrival + std::chrono::microseconds(request.deadline_us);
  }
  chunk->done.chunk_seq = request.seq;
  chunk->done.first_frame_index = numbers.first_frame;
  chunk->done.arrival = whole.last_arrival;
  chunk->done.input_bytes = static_cast<std::int64_t>(request.payload.size());
  chunk->done.timing.receive = whole.last_arrival - whole.first_arrival;
  chunk->done.timing.pack = unpacking;
  chunk->done.timing.credit_wait = CreditWait();
  if (request_.wants_kernel_timing) chunk->done.kernel_times.emplace();

  ChunkAcceptedOutput accepted{request.seq, numbers.first_frame, numbers.frame_count, 0,
                               numbers.epoch};
  for (const auto& before : chunks_) accepted.queued_latents += before->latents - before->decoded;
  outputs_.PushUrgent(accepted);
  totals_.bytes_in += chunk->done.input_bytes;
  totals_.resets = intake_.resets();
  chunks_.push_back(std::move(chunk));
}

void Session::Account(Output& output) {
  const Clock::time_point now = options_.now();
  if (auto* fragment = std::get_if<FragmentOutput>(&output)) {
    if (fragment->index == 0) {
      clock_.OnFrameSent(fragment->frame_index, now);
      is_frame_late_ = clock_.IsLate(clock_.FrameDue(fragment->frame_index, fragment->due, 0), now);
      if (is_frame_late_) ++totals_.frames_late;
    }
    fragment->is_late = is_frame_late_;
    totals_.bytes_out += static_cast<std::int64_t>(fragment->payload.size());
    quiet_since_ = now;
  } else if (auto* done = std::get_if<ChunkDoneOutput>(&output)) {
    done->timing.credit_wait = CreditWait() - done->timing.credit_wait;
    done->timing.total = now - done->arrival;
    Answered(done->input_bytes);
    quiet_since_ = now;
  } else if (const auto* error = std::get_if<ChunkErrorOutput>(&output)) {
    Answered(error->input_bytes);
  }
}

void Session::Answered(std::int64_t input_bytes) {
  intake_.GiveBack(input_bytes);
  if (state_ == StreamState::kStreaming) outputs_.AddInputCredit(1, input_bytes);
}

void Session::CheckIdle() {
  if (options_.idle_timeout.count() == 0 || !chunks_.empty() || !outputs_.is_empty()) return;
  const Clock::duration left = quiet_since_ + options_.idle_timeout - options_.now();
  if (left.count() <= 0) {
    Enter(StreamEvent::kIdle);
    return;
  }
  const Clock::duration warning =
      std::min<Clock::duration>(kIdleWarning, options_.idle_timeout / 2);
  if (state_ != StreamState::kStreaming || is_idle_warned_ || left > warning) return;
  is_idle_warned_ = true;
  outputs_.PushUrgent(NoticeOutput{NoticeOutput::Kind::kIdleWarning,
                                   std::chrono::duration_cast<std::chrono::milliseconds>(left), 0});
}

void Session::Fail(Failure failure) { Close({EndOutput::Outcome::kFailed, std::move(failure)}); }

void Session::Close(EndOutput end) {
  state_ = StreamState::kEnded;
  chunks_.clear();
  credit_wait_start_.reset();
  if (end.outcome == EndOutput::Outcome::kCancelled) {
    outputs_.Cancel();
  } else {
    outputs_.Push(std::move(end));
  }
}

void Session::Settle() {
  EndIfDone();
  if (!is_scheduled_ && CanDecode()) {
    is_scheduled_ = true;
    scheduler_.Schedule(shared_from_this(), NextDue());
  }
  TrackCreditWait();
}

void Session::EndIfDone() {
  if (!chunks_.empty() || outputs_.waiting_frames() > 0) return;
  if (state_ == StreamState::kFinishing) {
    outputs_.Push(totals_);
    Close({EndOutput::Outcome::kOk, {}});
  } else if (state_ == StreamState::kStopping) {
    Fail(RefusalOf(Reason::kDraining, StreamEvent::kDrain, state_));
  }
}

bool Session::CanDecode() const {
  if (chunks_.empty() || drops_oldest()) return !chunks_.empty();
  const int most_frames = std::max(facts_.first_latent_frames, facts_.per_latent_frames);
  return outputs_.waiting_frames() + most_frames <= options_.max_waiting_frames &&
         outputs_.has_spare_credit();
}

Clock::time_point Session::NextDue() const {
  const Chunk& chunk = *chunks_.front();
  const int position = chunk.done.frame_count;
  const std::uint64_t frame = chunk.done.first_frame_index + static_cast<std::uint64_t>(position);
  return clock_.WorkDue(clock_.FrameDue(frame, chunk.due, position), options_.now());
}

void Session::TrackCreditWait() {
  const bool has_work = !chunks_.empty() || outputs_.waiting_frames() > 0;
  const bool waits = state_ != StreamState::kEnded && !is_running_ && !drops_oldest() && has_work &&
                     outputs_.frame_credits() == 0;
  if (waits == credit_wait_start_.has_value()) return;
  if (waits) {
    credit_wait_start_ = options_.now();
  } else {
    credit_wait_ = CreditWait();
    credit_wait_start_.reset();
  }
}

std::chrono::nanoseconds Session::CreditWait() const {
  if (!credit_wait_start_) return credit_wait_;
  return credit_wait_ + (options_.now() - *credit_wait_start_);
}

Session::Holdings Session::TakeHoldings() {
  Holdings taken;
  const bool is_decoded =
      state_ == StreamState::kEnded || (state_ >= StreamState::kFinishing && chunks_.empty());
  if (!is_decoded || is_running_) return taken;
  taken.reservation = holdings_.reservation;
  taken.stream = std::move(holdings_.stream);
  if (outputs_.is_finished()) holdings_.reservation.reset();
  return taken;
}

}  // namespace causeway
