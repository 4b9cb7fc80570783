// SPDX-License-Identifier: Apache-2.0
#include "server/session/output_queue.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace causeway {

void OutputQueue::PushFrame(FragmentOutput frame) {
  if (is_closed_) return;
  queue_.emplace_back(std::move(frame));
  ++waiting_frames_;
}

void OutputQueue::Push(Output output) {
  if (is_closed_) return;
  is_closed_ = std::holds_alternative<EndOutput>(output);
  queue_.push_back(std::move(output));
}

void OutputQueue::Cancel() {
  if (is_finished_) return;
  queue_.clear();
  waiting_frames_ = 0;
  next_fragment_ = 0;
  is_closed_ = false;
  Push(EndOutput{EndOutput::Outcome::kCancelled, {}});
}

std::optional<Output> OutputQueue::Take(Clock::time_point now) {
  if (queue_.empty()) return std::nullopt;
  if (std::holds_alternative<FragmentOutput>(queue_.front())) return TakeFragment(now);
  Output output = std::move(queue_.front());
  queue_.pop_front();
  if (auto* done = std::get_if<ChunkDoneOutput>(&output)) {
    if (send_start_) done->timing.send = now - *send_start_;
    send_start_.reset();
  }
  is_finished_ = std::holds_alternative<EndOutput>(output);
  return output;
}

Output OutputQueue::TakeFragment(Clock::time_point now) {
  if (!send_start_) send_start_ = now;
  const FragmentOutput& frame = std::get<FragmentOutput>(queue_.front());
  const std::int64_t frame_bytes = static_cast<std::int64_t>(frame.payload.size());
  const std::int64_t offset = next_fragment_ * fragment_bytes_;

  FragmentOutput fragment = frame;
  fragment.index = next_fragment_++;
  fragment.count = static_cast<int>((frame_bytes + fragment_bytes_ - 1) / fragment_bytes_);
  fragment.payload = frame.payload.subspan(
      static_cast<std::size_t>(offset),
      static_cast<std::size_t>(std::min(fragment_bytes_, frame_bytes - offset)));
  if (next_fragment_ == fragment.count) {
    queue_.pop_front();
    next_fragment_ = 0;
    --waiting_frames_;
  }
  return fragment;
}

}  // namespace causeway
