// SPDX-License-Identifier: Apache-2.0
#include "server/session/chunk_intake.h"

#include <string>
#include <utility>

namespace causeway {

void ChunkIntake::Open(const StreamLimits& limits, const StreamFacts& facts, bool has_checksums) {
  limits_ = limits;
  facts_ = facts;
  assembler_.set_rules({.latent_bytes = facts.latent_bytes,
                        .max_chunk_latents = limits.max_chunk_latents,
                        .max_fragmented_bytes = limits.max_pending_bytes,
                        .has_checksums = has_checksums});
}

ChunkIntake::Verdict ChunkIntake::Take(ChunkRequest message, std::uint32_t crc32c,
                                       Clock::time_point arrival) {
  const auto message_bytes = static_cast<std::int64_t>(message.payload.size());
  if (pending_bytes_ + message_bytes > limits_.max_pending_bytes) {
    return BadField(Reason::kInputOverrun, "input_credits.bytes",
                    std::to_string(pending_bytes_ + message_bytes) + " bytes pending",
                    "at most " + std::to_string(limits_.max_pending_bytes));
  }
  pending_bytes_ += message_bytes;
  if (assembler_.IsLeftover(message)) {
    pending_bytes_ -= message_bytes;
    return InputCreditOutput{0, message_bytes};
  }
  if (auto failure = CheckOrder(message)) return *failure;

  const ChunkRequest header{.seq = message.seq};
  const std::int64_t chunk_bytes =
      message_bytes + (assembler_.is_assembling() ? assembler_.bytes() : 0);
  ChunkAssembler::Step step = assembler_.Add(std::move(message), crc32c, arrival);
  if (step.whole) return std::move(*step.whole);
  if (!step.refusal) return std::monostate{};
  if (step.refusal->reason == Reason::kChecksumMismatch &&
      ++checksum_faults_ == kMostChecksumFaults) {
    return std::move(*step.refusal);
  }
  ++pending_chunks_;
  return ChunkErrorOutput{header.seq, std::move(*step.refusal), chunk_bytes};
}

std::optional<Failure> ChunkIntake::CheckOrder(const ChunkRequest& message) const {
  if (assembler_.is_assembling()) {
    if (message.seq == assembler_.seq()) return std::nullopt;
    return BadField(Reason::kBadFragment, "latent_chunk.chunk_seq", std::to_string(message.seq),
                    "the rest of chunk " + std::to_string(assembler_.seq()));
  }
  if (pending_chunks_ >= limits_.max_pending_chunks) {
    return BadField(Reason::kInputOverrun, "limits.max_pending_chunks",
                    "chunk " + std::to_string(message.seq) + " while " +
                        std::to_string(pending_chunks_) + " are pending",
                    "at most " + std::to_string(limits_.max_pending_chunks) + " pending chunks");
  }
  if (message.seq != next_seq_) {
    return BadField(Reason::kChunkSeqGap, "latent_chunk.chunk_seq", std::to_string(message.seq),
                    std::to_string(next_seq_));
  }
  return std::nullopt;
}

ChunkIntake::Numbers ChunkIntake::Accept(const ChunkRequest& chunk) {
  Numbers numbers;
  numbers.resets = held_resets_.erase(chunk.seq) > 0 || chunk.resets_before;
  if (numbers.resets) {
    ++epoch_;
    is_first_latent_ = true;
  }
  numbers.epoch = epoch_;
  numbers.first_frame = next_frame_;
  numbers.frame_count = facts_.per_latent_frames * chunk.latents;
  if (is_first_latent_) {
    numbers.frame_count += facts_.first_latent_frames - facts_.per_latent_frames;
  }
  is_first_latent_ = false;
  next_frame_ += static_cast<std::uint64_t>(numbers.frame_count);
  ++next_seq_;
  ++pending_chunks_;
  return numbers;
}

ChunkErrorOutput ChunkIntake::Refuse(const ChunkRequest& chunk, Failure failure) {
  ++pending_chunks_;
  return {chunk.seq, std::move(failure), static_cast<std::int64_t>(chunk.payload.size())};
}

std::optional<Failure> ChunkIntake::HoldReset(std::uint64_t at_seq) {
  if (at_seq < next_seq_) {
    return BadField(Reason::kBadReset, "reset.at_chunk_seq", std::to_string(at_seq),
                    std::to_string(next_seq_) + " or later");
  }
  if (held_resets_.size() == kMostHeldResets && !held_resets_.contains(at_seq)) {
    return BadField(Reason::kBadOption, "reset.at_chunk_seq",
                    std::to_string(kMostHeldResets + 1) + " resets ahead",
                    "at most " + std::to_string(kMostHeldResets));
  }
  held_resets_.insert(at_seq);
  return std::nullopt;
}

void ChunkIntake::GiveBack(std::int64_t bytes) {
  --pending_chunks_;
  pending_bytes_ -= bytes;
}

}  // namespace causeway
