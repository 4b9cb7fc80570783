// SPDX-License-Identifier: Apache-2.0
// When chunks went and frames came, as this client saw it.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "causeway/v1/decode.pb.h"
#include "client/lib/frame_assembler.h"

namespace causeway::cli {

/// The times of one session. Chunks are numbered from 0 in the order sent. Not thread-safe.
class StreamTimes {
 public:
  using Clock = std::chrono::steady_clock;

  explicit StreamTimes(const v1::FrameRule& rule) : rule_(rule) {}

  /// The next chunk is handed to the transport.
  void ChunkSent(Clock::time_point at) { sent_.push_back(at); }

  /// Precondition: the frame's chunk was sent.
  void FrameArrived(const client::Frame& frame);

  /// Seconds from the first chunk's sending to the first frame; 0 without frames.
  double first_frame_s() const;

  /// Seconds from the first chunk's sending to the last frame; 0 without frames.
  double total_s() const;

  /// Seconds from a chunk's sending to its last frame, one a chunk.
  const std::vector<double>& chunk_latencies_s() const { return chunk_latencies_s_; }

  /// Seconds from a chunk's sending to the last frame of each of its latents, one a latent.
  const std::vector<double>& latent_latencies_s() const { return latent_latencies_s_; }

 private:
  bool IsLastOfLatent(std::uint64_t frame_index) const;

  v1::FrameRule rule_;
  std::vector<Clock::time_point> sent_;
  std::vector<double> chunk_latencies_s_;
  std::vector<double> latent_latencies_s_;
  Clock::time_point first_frame_;
  Clock::time_point last_frame_;
  bool has_frames_ = false;
};

}  // namespace causeway::cli
