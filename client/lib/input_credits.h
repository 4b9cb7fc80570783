// SPDX-License-Identifier: Apache-2.0
// What the server still takes: chunks and payload bytes. Credits go down with each chunk sent and
// come back by InputCredit. A first-version server has no credits: it takes
// Limits.max_pending_chunks chunks that it has not answered.
#pragma once

#include <cstdint>

#include "causeway/v1/decode.pb.h"

namespace causeway::client {

/// The input credits of one session. Not thread-safe.
class InputCredits {
 public:
  explicit InputCredits(const v1::Opened& opened);

  bool has_chunk() const { return chunks_ > 0; }

  /// Whether a chunk of `bytes` of payload may be sent now.
  bool Allow(std::int64_t bytes) const { return has_chunk() && bytes <= bytes_; }

  /// The largest payload that a chunk of this session can ever have.
  std::int64_t max_chunk_bytes() const { return max_bytes_; }

  /// A chunk goes out. Precondition: Allow(bytes).
  void Spend(std::int64_t bytes);

  /// Throws DecodeError on a credit that is negative.
  void Regain(const v1::InputCredit& credit);

  /// A chunk was answered by ChunkDone or ChunkError: a first-version server's way of giving a
  /// credit back.
  void Answered();

 private:
  bool is_first_version_;
  std::int64_t chunks_ = 0;
  std::int64_t bytes_ = 0;
  std::int64_t max_bytes_ = 0;
};

}  // namespace causeway::client
