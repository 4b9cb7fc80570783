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
};

/// The frames of one session, in order. Not thread-safe.
class FrameAssembler {
 public:
  /// `frame_bytes`: Opened.frame_bytes.
  explicit FrameAssembler(std::int64_t frame_bytes) : frame_bytes_(frame_bytes) {}

  /// Takes the next Frame message; returns the frame where it was its last fragment.
  /// Throws DecodeError(BAD_FRAGMENT) on a gap, a repetition, an overlap or a wrong size; the
  /// assembler is of no use afterwards.
  std::optional<Frame> Add(v1::Frame message);

 private:
  std::int64_t frame_bytes_;
  std::uint64_t next_frame_index_ = 0;
  std::int32_t next_fragment_ = 0;
  std::int32_t fragment_count_ = 0;
  Frame frame_;
};

}  // namespace causeway::client
