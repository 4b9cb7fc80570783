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

void OutputQueue::PushUrgent(Output output) {
  if (!is_closed_) urgent_.push_back(std::move(output));
}

void OutputQueue::PushPong(PongOutput pong) {
  if (is_closed_ || waiting_pongs_ == kMostPongs) return;
  ++waiting_pongs_;
  urgent_.emplace_back(std::move(pong));
}

void OutputQueue::AddInputCredit(int chunks, std::int64_t bytes) {
  if (is_closed_) return;
  regained_.chunks += chunks;
  regained_.bytes += bytes;
}

void OutputQueue::Cancel() {
  if (is_finished_) return;
  urgent_.clear();
  queue_.clear();
  regained_ = {};
  waiting_frames_ = 0;
  next_fragment_ = 0;
  is_closed_ = false;
  Push(EndOutput{EndOutput::Outcome::kCancelled, {}});
}

bool OutputQueue::DropOldest() {
  for (Output& output : queue_) {
    const auto* frame = std::get_if<FragmentOutput>(&output);
    const bool is_begun = &output == &queue_.front() && next_fragment_ > 0;
    if (frame == nullptr || is_begun) continue;
    output = FrameDroppedOutput{frame->frame_index, frame->chunk_seq};
    --waiting_frames_;
    return true;
  }
  return false;
}

std::optional<Output> OutputQueue::Take(Clock::time_point now) {
  if (next_fragment_ == 0) {
    if (!urgent_.empty()) return TakeUrgent();
    if (regained_.chunks != 0 || regained_.bytes != 0) return std::exchange(regained_, {});
  }
  if (queue_.empty()) return std::nullopt;
  if (std::holds_alternative<FragmentOutput>(queue_.front())) {
    const bool may_begin = next_fragment_ > 0 || !frame_credits_ || *frame_credits_ > 0;
    if (may_begin) return TakeFragment(now);
    if (!is_failing()) return std::nullopt;
    queue_.erase(queue_.begin(), queue_.end() - 1);
    waiting_frames_ = 0;
  }
  Output output = std::move(queue_.front());
  queue_.pop_front();
  if (auto* done = std::get_if<ChunkDoneOutput>(&output)) {
    if (send_start_) done->timing.send = now - *send_start_;
    send_start_.reset();
  }
  is_finished_ = std::holds_alternative<EndOutput>(output);
  return output;
}

Output OutputQueue::TakeUrgent() {
  Output output = std::move(urgent_.front());
  urgent_.pop_front();
  if (std::holds_alternative<PongOutput>(output)) --waiting_pongs_;
  return output;
}

Output OutputQueue::TakeFragment(Clock::time_point now) {
  if (!send_start_) send_start_ = now;
  if (next_fragment_ == 0 && frame_credits_) --*frame_credits_;
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

bool OutputQueue::is_failing() const {
  const auto* end = queue_.empty() ? nullptr : std::get_if<EndOutput>(&queue_.back());
  return end != nullptr && end->outcome == EndOutput::Outcome::kFailed;
}

}  // namespace causeway
