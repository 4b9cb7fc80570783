// SPDX-License-Identifier: Apache-2.0
// The chunks that are on their way, and what the server still owes for them.
#pragma once

#include <cstdint>
#include <deque>

#include "causeway/v1/decode.pb.h"
#include "client/lib/frame_assembler.h"

namespace causeway::client {

/// The account of one session. Every function throws DecodeError where the server's answer does
/// not fit what was sent. Not thread-safe.
class ChunkLedger {
 public:
  explicit ChunkLedger(const v1::Opened& opened)
      : frame_rule_(opened.frame_rule()), limits_(opened.limits()) {}

  /// Whether one more chunk may be sent: fewer than max_pending_chunks are unanswered.
  bool has_room() const {
    return static_cast<std::int64_t>(pending_.size()) < limits_.max_pending_chunks();
  }

  /// Books a chunk of `latents` latents and returns its chunk_seq. Precondition: has_room().
  std::uint64_t Sent(std::int32_t latents);

  /// Books a whole frame.
  void Arrived(const Frame& frame);

  /// Closes a chunk: all its frames must be here.
  void Done(const v1::ChunkDone& done);

  /// Strikes out a refused chunk; its number will be given to the next chunk sent.
  void Refused(const v1::ChunkError& error);

  /// Checks the totals of an ended session.
  void Closed(const v1::Summary& summary) const;

 private:
  struct Pending {
    std::uint64_t chunk_seq = 0;
    std::int32_t latents = 0;
    std::int64_t frames = 0;  // that have arrived
  };
  std::int64_t FramesOwed(const Pending& chunk) const;

  v1::FrameRule frame_rule_;
  v1::Limits limits_;
  std::deque<Pending> pending_;
  std::uint64_t next_chunk_seq_ = 0;
  std::uint64_t frames_ = 0;
  std::uint64_t chunks_done_ = 0;
};

}  // namespace causeway::client
