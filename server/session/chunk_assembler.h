// SPDX-License-Identifier: Apache-2.0
// Puts the messages of a chunk together, and refuses a chunk before more of it is kept than it may
// hold. Knows nothing of numbers before or after, and of credits: those are its session's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "server/session/messages.h"

namespace causeway {

/// A chunk with its whole payload.
struct WholeChunk {
  ChunkRequest request;  // of its first message, with the payload of all
  Clock::time_point first_arrival;
  Clock::time_point last_arrival;
};

/// What a chunk of the session may be.
struct ChunkRules {
  std::int64_t latent_bytes = 0;
  int max_chunk_latents = 0;              // in one message
  std::int64_t max_fragmented_bytes = 0;  // in several
  bool has_checksums = false;
};

/// Not thread-safe: guarded by its session.
class ChunkAssembler {
 public:
  struct Step {
    std::optional<WholeChunk> whole;  // the chunk is complete
    std::optional<Failure> refusal;   // it is refused, and what came of it forgotten
  };

  void set_rules(const ChunkRules& rules) { rules_ = rules; }

  /// Whether a chunk has begun and not ended.
  bool is_assembling() const { return begun_.has_value(); }
  /// Of the chunk that is being assembled.
  std::uint64_t seq() const { return begun_->request.seq; }
  /// Bytes of it that have arrived.
  std::int64_t bytes() const { return static_cast<std::int64_t>(begun_->request.payload.size()); }

  /// Whether the message is a later fragment of the chunk that was refused last.
  bool IsLeftover(const ChunkRequest& message) const;

  /// Takes the next message. `crc32c`: of its payload, where the rules have checksums. Neither
  /// whole nor refused: more fragments are expected. Where a message does not continue the chunk
  /// that is being assembled, that chunk is refused and the message is not looked at further.
  Step Add(ChunkRequest message, std::uint32_t crc32c, Clock::time_point arrival);

 private:
  std::optional<Failure> CheckFirst(const ChunkRequest& message) const;
  std::optional<Failure> CheckNext(const ChunkRequest& message) const;
  std::optional<Failure> CheckPayload(const ChunkRequest& message, std::uint32_t crc32c) const;

  ChunkRules rules_;
  std::optional<WholeChunk> begun_;
  int next_fragment_ = 0;
  std::optional<std::uint64_t> refused_seq_;
};

}  // namespace causeway
