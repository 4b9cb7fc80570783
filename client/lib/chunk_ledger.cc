// SPDX-License-Identifier: Apache-2.0
#include "client/lib/chunk_ledger.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "client/lib/decode_error.h"

namespace causeway::client {
namespace {

[[noreturn]] void Refuse(const std::string& problem) {
  throw ErrorInAnswer(Reason::kInternalBug, problem);
}

}  // namespace

std::uint64_t ChunkLedger::Sent(std::int32_t latents) {
  pending_.push_back({next_chunk_seq_, latents, 0});
  return next_chunk_seq_++;
}

// Frames come in order: without a reset only the oldest pending chunk can hold the first latent,
// and only as long as no chunk is done.
bool ChunkLedger::IsFirst(std::uint64_t chunk_seq, std::size_t position) const {
  return resets_.contains(chunk_seq) || (chunks_done_ == 0 && position == 0);
}

std::int64_t ChunkLedger::FramesOwed(std::size_t position) const {
  const Pending& chunk = pending_[position];
  const std::int64_t latents = chunk.latents;
  if (!IsFirst(chunk.chunk_seq, position)) return latents * frame_rule_.per_latent_frames();
  return frame_rule_.first_latent_frames() + (latents - 1) * frame_rule_.per_latent_frames();
}

std::uint64_t ChunkLedger::EpochOf(std::uint64_t chunk_seq) const {
  return static_cast<std::uint64_t>(std::distance(resets_.begin(), resets_.upper_bound(chunk_seq)));
}

void ChunkLedger::Accepted(const v1::ChunkAccepted& accepted) const {
  std::uint64_t first = frames_;
  if (!pending_.empty()) first -= static_cast<std::uint64_t>(pending_.front().frames);
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    const std::int64_t owed = FramesOwed(i);
    if (pending_[i].chunk_seq == accepted.chunk_seq()) {
      if (accepted.first_frame_index() == first && accepted.frame_count() == owed &&
          accepted.epoch() == EpochOf(accepted.chunk_seq())) {
        return;
      }
      Refuse("ChunkAccepted of chunk " + std::to_string(accepted.chunk_seq()) + " says " +
             std::to_string(accepted.frame_count()) + " frames from " +
             std::to_string(accepted.first_frame_index()) + " in epoch " +
             std::to_string(accepted.epoch()) + ", expected " + std::to_string(owed) + " from " +
             std::to_string(first) + " in epoch " + std::to_string(EpochOf(accepted.chunk_seq())));
    }
    first += static_cast<std::uint64_t>(owed);
  }
  Refuse("ChunkAccepted for chunk " + std::to_string(accepted.chunk_seq()) +
         ", which is not pending");
}

ChunkLedger::Pending& ChunkLedger::FrontFor(std::uint64_t frame_index, std::uint64_t chunk_seq) {
  if (pending_.empty() || pending_.front().chunk_seq != chunk_seq) {
    Refuse("frame " + std::to_string(frame_index) + " belongs to chunk " +
           std::to_string(chunk_seq) + ", expected " +
           (pending_.empty() ? std::string("none: no chunk is pending")
                             : std::to_string(pending_.front().chunk_seq)));
  }
  return pending_.front();
}

void ChunkLedger::Arrived(const Frame& frame) {
  Pending& chunk = FrontFor(frame.index, frame.chunk_seq);
  const std::string name = "frame " + std::to_string(frame.index);
  if (frame.epoch != EpochOf(frame.chunk_seq)) {
    Refuse(name + " is of epoch " + std::to_string(frame.epoch) + ", expected " +
           std::to_string(EpochOf(frame.chunk_seq)));
  }
  const std::int64_t owed = FramesOwed(0);
  const bool is_last = ++chunk.frames == owed;
  if (chunk.frames > owed || is_last != frame.last_of_chunk) {
    Refuse(name + " is number " + std::to_string(chunk.frames) + " of the " + std::to_string(owed) +
           " of its chunk, but last_of_chunk is " + (frame.last_of_chunk ? "true" : "false"));
  }
  ++frames_;
}

void ChunkLedger::Dropped(const v1::FrameDropped& dropped) {
  Pending& chunk = FrontFor(dropped.frame_index(), dropped.chunk_seq());
  if (++chunk.frames > FramesOwed(0)) {
    Refuse("dropped frame " + std::to_string(dropped.frame_index()) + " is one too many of its " +
           "chunk, which has " + std::to_string(FramesOwed(0)));
  }
  ++frames_;
  ++dropped_;
}

void ChunkLedger::Done(const v1::ChunkDone& done) {
  const std::string name = "ChunkDone of chunk " + std::to_string(done.chunk_seq());
  if (pending_.empty() || pending_.front().chunk_seq != done.chunk_seq()) {
    Refuse(name + " came out of order");
  }
  const Pending& chunk = pending_.front();
  if (chunk.frames != FramesOwed(0) || done.frame_count() != chunk.frames ||
      done.first_frame_index() + static_cast<std::uint64_t>(chunk.frames) != frames_) {
    Refuse(name + " says " + std::to_string(done.frame_count()) + " frames from " +
           std::to_string(done.first_frame_index()) + "; " + std::to_string(chunk.frames) + " of " +
           std::to_string(FramesOwed(0)) + " have come, " + std::to_string(frames_) +
           " in the session");
  }
  pending_.pop_front();
  ++chunks_done_;
}

void ChunkLedger::Refused(const v1::ChunkError& error) {
  const auto found = std::find_if(pending_.begin(), pending_.end(), [&error](const Pending& chunk) {
    return chunk.chunk_seq == error.chunk_seq();
  });
  if (found == pending_.end()) {
    Refuse("ChunkError for chunk " + std::to_string(error.chunk_seq()) + ", which is not pending");
  }
  if (found->frames != 0) {
    Refuse("ChunkError for chunk " + std::to_string(error.chunk_seq()) +
           ", some frames of which have come");
  }
  pending_.erase(found);
  next_chunk_seq_ = error.chunk_seq();
}

void ChunkLedger::Closed(const v1::Summary& summary) const {
  if (!pending_.empty() || summary.frames() != frames_ || summary.chunks() != chunks_done_ ||
      summary.frames_dropped() != dropped_) {
    Refuse("Summary says " + std::to_string(summary.chunks()) + " chunks, " +
           std::to_string(summary.frames()) + " frames and " +
           std::to_string(summary.frames_dropped()) + " of them dropped; " +
           std::to_string(chunks_done_) + ", " + std::to_string(frames_) + " and " +
           std::to_string(dropped_) + " have come, " + std::to_string(pending_.size()) +
           " chunks are pending");
  }
}

}  // namespace causeway::client
