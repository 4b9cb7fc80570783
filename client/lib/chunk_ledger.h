// SPDX-License-Identifier: Apache-2.0
// The chunks that are on their way, and what the server still owes for them.
#pragma once

#include <cstdint>
#include <deque>
#include <set>

#include "causeway/v1/decode.pb.h"
#include "client/lib/frame_assembler.h"

namespace causeway::client {

/// The account of one session. Every function throws DecodeError where the server's answer does
/// not fit what was sent. Not thread-safe.
class ChunkLedger {
 public:
  explicit ChunkLedger(const v1::Opened& opened) : frame_rule_(opened.frame_rule()) {}

  /// The number of the next chunk.
  std::uint64_t next_chunk_seq() const { return next_chunk_seq_; }

  /// Whether the next chunk starts a history: nothing was sent before it, or a reset comes first.
  bool next_is_first() const { return IsFirst(next_chunk_seq_, pending_.size()); }

  /// Books a chunk of `latents` latents and returns its chunk_seq.
  std::uint64_t Sent(std::int32_t latents);

  /// Books a reset right before the next chunk; false where one is booked already.
  bool Reset() { return resets_.insert(next_chunk_seq_).second; }

  /// Compares the announced frames with those that are owed.
  void Accepted(const v1::ChunkAccepted& accepted) const;

  /// Books a whole frame.
  void Arrived(const Frame& frame);

  /// Books a frame that will not come.
  void Dropped(const v1::FrameDropped& dropped);

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
    std::int64_t frames = 0;  // that have come or were dropped
  };
  bool IsFirst(std::uint64_t chunk_seq, std::size_t position) const;
  std::int64_t FramesOwed(std::size_t position) const;
  std::uint64_t EpochOf(std::uint64_t chunk_seq) const;
  Pending& FrontFor(std::uint64_t frame_index, std::uint64_t chunk_seq);

  v1::FrameRule frame_rule_;
  std::deque<Pending> pending_;
  std::set<std::uint64_t> resets_;  // chunk numbers right before which the history was dropped
  std::uint64_t next_chunk_seq_ = 0;
  std::uint64_t frames_ = 0;  // that have come or were dropped
  std::uint64_t dropped_ = 0;
  std::uint64_t chunks_done_ = 0;
};

}  // namespace causeway::client
