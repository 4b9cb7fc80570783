// SPDX-License-Identifier: Apache-2.0
// What may come in next: numbers, input credits, resets and checksum faults of one session's
// chunks.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <variant>

#include "server/session/chunk_assembler.h"
#include "server/session/messages.h"

namespace causeway {

/// Not thread-safe: guarded by its session.
class ChunkIntake {
 public:
  /// What a message leads to. Nothing yet: more fragments are expected. A WholeChunk: to be
  /// unpacked, then Accept or Refuse. A ChunkErrorOutput: the answer to a refused chunk. A Failure:
  /// the stream is over. An InputCreditOutput: the message belonged to a refused chunk, and is
  /// given back.
  using Verdict =
      std::variant<std::monostate, WholeChunk, ChunkErrorOutput, Failure, InputCreditOutput>;

  /// What an accepted chunk is known by from here on.
  struct Numbers {
    std::uint64_t first_frame = 0;
    int frame_count = 0;
    std::uint64_t epoch = 0;
    bool resets = false;  // right before it
  };

  static constexpr int kMostChecksumFaults = 3;  // the last of them ends the stream
  static constexpr std::size_t kMostHeldResets = 16;

  /// Once, before anything else.
  void Open(const StreamLimits& limits, const StreamFacts& facts, bool has_checksums);

  /// `crc32c`: of the message's payload, where the session has checksums.
  Verdict Take(ChunkRequest message, std::uint32_t crc32c, Clock::time_point arrival);

  Numbers Accept(const ChunkRequest& chunk);
  ChunkErrorOutput Refuse(const ChunkRequest& chunk, Failure failure);

  /// Holds a reset until its chunk is accepted. Fails with kBadReset where it already is, and with
  /// kBadOption where kMostHeldResets are held.
  std::optional<Failure> HoldReset(std::uint64_t at_seq);

  /// The answer to a chunk was taken: its credit comes back.
  void GiveBack(std::int64_t bytes);

  std::uint64_t resets() const { return epoch_; }

 private:
  std::optional<Failure> CheckOrder(const ChunkRequest& message) const;

  StreamLimits limits_;
  StreamFacts facts_;
  ChunkAssembler assembler_;
  std::set<std::uint64_t> held_resets_;  // chunks that are not accepted yet
  std::uint64_t next_seq_ = 0;
  std::uint64_t next_frame_ = 0;
  std::uint64_t epoch_ = 0;
  bool is_first_latent_ = true;  // the next latent has no history
  int pending_chunks_ = 0;       // answered in neither way
  std::int64_t pending_bytes_ = 0;
  int checksum_faults_ = 0;
};

}  // namespace causeway
