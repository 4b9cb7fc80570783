// SPDX-License-Identifier: Apache-2.0
#include "client/lib/chunk_ledger.h"

#include <algorithm>
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

// Only the chunk that decodes first holds the latent with its own frame count, and frames come in
// order: it is the oldest pending chunk as long as no chunk is done.
std::int64_t ChunkLedger::FramesOwed(const Pending& chunk) const {
  const std::int64_t latents = chunk.latents;
  if (chunks_done_ > 0) return latents * frame_rule_.per_latent_frames();
  return frame_rule_.first_latent_frames() + (latents - 1) * frame_rule_.per_latent_frames();
}

void ChunkLedger::Arrived(const Frame& frame) {
  const std::string name = "frame " + std::to_string(frame.index);
  if (pending_.empty() || pending_.front().chunk_seq != frame.chunk_seq) {
    Refuse(name + " belongs to chunk " + std::to_string(frame.chunk_seq) + ", expected " +
           (pending_.empty() ? std::string("none: no chunk is pending")
                             : std::to_string(pending_.front().chunk_seq)));
  }
  Pending& chunk = pending_.front();
  const bool is_last = ++chunk.frames == FramesOwed(chunk);
  if (chunk.frames > FramesOwed(chunk) || is_last != frame.last_of_chunk) {
    Refuse(name + " is number " + std::to_string(chunk.frames) + " of the " +
           std::to_string(FramesOwed(chunk)) + " of its chunk, but last_of_chunk is " +
           (frame.last_of_chunk ? "true" : "false"));
  }
  ++frames_;
}

void ChunkLedger::Done(const v1::ChunkDone& done) {
  const std::string name = "ChunkDone of chunk " + std::to_string(done.chunk_seq());
  if (pending_.empty() || pending_.front().chunk_seq != done.chunk_seq()) {
    Refuse(name + " came out of order");
  }
  const Pending& chunk = pending_.front();
  if (chunk.frames != FramesOwed(chunk) || done.frame_count() != chunk.frames ||
      done.first_frame_index() + static_cast<std::uint64_t>(chunk.frames) != frames_) {
    Refuse(name + " says " + std::to_string(done.frame_count()) + " frames from " +
           std::to_string(done.first_frame_index()) + "; " + std::to_string(chunk.frames) + " of " +
           std::to_string(FramesOwed(chunk)) + " have come, " + std::to_string(frames_) +
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
  if (!pending_.empty() || summary.frames() != frames_ || summary.chunks() != chunks_done_) {
    Refuse("Summary says " + std::to_string(summary.chunks()) + " chunks and " +
           std::to_string(summary.frames()) + " frames; " + std::to_string(chunks_done_) + " and " +
           std::to_string(frames_) + " have come, " + std::to_string(pending_.size()) +
           " chunks are pending");
  }
}

}  // namespace causeway::client
