// SPDX-License-Identifier: Apache-2.0
// Puts the fragments of a session's frames together again and proves that none is missing, repeated
// or out of place.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "causeway/v1/decode.pb.h"

namespace causeway::client {

/// One decoded frame.
struct Frame {
  std::uint64_t index = 0;      // 0 for the first frame of the session, contiguous
  std::uint64_t chunk_seq = 0;  // the chunk that it belongs to
  bool last_of_chunk = false;
  std::string pixels;  // Opened.frame_bytes bytes in the pixel format of Open
  std::chrono::steady_clock::time_point arrived_at;  // when its last fragment was read
  std::uint64_t epoch = 0;                           // resets before it
  std::int64_t pts = 0;                              // in units of Open.timing
  bool is_late = false;                              // by Open.timing
};

/// The frames of one session, in order. Not thread-safe.
class FrameAssembler {
 public:
  using Clock = std::chrono::steady_clock;

  /// `frame_bytes`: Opened.frame_bytes. `checks_crc32c`: each payload must match its checksum.
  explicit FrameAssembler(std::int64_t frame_bytes, bool checks_crc32c = false)
      : frame_bytes_(frame_bytes), checks_crc32c_(checks_crc32c) {}

  /// Takes the next Frame message, read at `arrived_at`; returns the frame where it was its last
  /// fragment. Throws DecodeError: BAD_FRAGMENT on a gap, a repetition, an overlap or a wrong size,
  /// CHECKSUM_MISMATCH. The assembler is of no use afterwards.
  std::optional<Frame> Add(v1::Frame message, Clock::time_point arrived_at = Clock::now());

  /// Takes the announcement that the next frame will not come. Throws DecodeError(BAD_FRAGMENT)
  /// where another frame is next, or a part of this one has come.
  void Drop(const v1::FrameDropped& dropped);

 private:
  void Begin(const v1::Frame& message);
  void CheckContinues(const v1::Frame& message) const;

  std::int64_t frame_bytes_;
  bool checks_crc32c_;
  std::uint64_t next_frame_index_ = 0;
  std::int32_t next_fragment_ = 0;
  std::int32_t fragment_count_ = 0;
  Frame frame_;
};

}  // namespace causeway::client
