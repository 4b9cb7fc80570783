// SPDX-License-Identifier: Apache-2.0
#include "client/cli/stream_times.h"

namespace causeway::cli {
namespace {

double Seconds(StreamTimes::Clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace

bool StreamTimes::IsLastOfLatent(std::uint64_t frame_index) const {
  const auto first = static_cast<std::uint64_t>(rule_.first_latent_frames());
  const auto later = static_cast<std::uint64_t>(rule_.per_latent_frames());
  if (frame_index < first) return frame_index + 1 == first;
  return (frame_index - first + 1) % later == 0;
}

void StreamTimes::FrameArrived(const client::Frame& frame) {
  if (!has_frames_) first_frame_ = frame.arrived_at;
  has_frames_ = true;
  last_frame_ = frame.arrived_at;
  const double latency = Seconds(frame.arrived_at - sent_.at(frame.chunk_seq));
  if (IsLastOfLatent(frame.index)) latent_latencies_s_.push_back(latency);
  if (frame.last_of_chunk) chunk_latencies_s_.push_back(latency);
}

double StreamTimes::first_frame_s() const {
  return has_frames_ ? Seconds(first_frame_ - sent_.front()) : 0;
}

double StreamTimes::total_s() const {
  return has_frames_ ? Seconds(last_frame_ - sent_.front()) : 0;
}

}  // namespace causeway::cli
