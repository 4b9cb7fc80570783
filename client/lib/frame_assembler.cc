// SPDX-License-Identifier: Apache-2.0
#include "client/lib/frame_assembler.h"

#include <utility>

#include "client/lib/decode_error.h"
#include "server/base/crc32c.h"

namespace causeway::client {
namespace {

std::string NameOf(const v1::Frame& message) {
  return "frame " + std::to_string(message.frame_index()) + ", fragment " +
         std::to_string(message.fragment().index()) + " of " +
         std::to_string(message.fragment().count()) + ": ";
}

[[noreturn]] void Refuse(const v1::Frame& message, const std::string& problem) {
  throw ErrorInAnswer(Reason::kBadFragment, NameOf(message) + problem);
}

}  // namespace

void FrameAssembler::Begin(const v1::Frame& message) {
  fragment_count_ = message.fragment().count();
  frame_ = {};
  frame_.index = message.frame_index();
  frame_.chunk_seq = message.chunk_seq();
  frame_.last_of_chunk = message.last_of_chunk();
  frame_.epoch = message.epoch();
  frame_.pts = message.pts();
}

void FrameAssembler::CheckContinues(const v1::Frame& message) const {
  if (message.fragment().count() != fragment_count_ || message.chunk_seq() != frame_.chunk_seq ||
      message.last_of_chunk() != frame_.last_of_chunk || message.epoch() != frame_.epoch ||
      message.pts() != frame_.pts) {
    Refuse(message,
           "its count, chunk_seq, last_of_chunk, epoch or pts differ from the fragment "
           "before");
  }
}

std::optional<Frame> FrameAssembler::Add(v1::Frame message, Clock::time_point arrived_at) {
  const v1::Fragment& fragment = message.fragment();
  if (message.frame_index() != next_frame_index_) {
    Refuse(message, "expected frame " + std::to_string(next_frame_index_));
  }
  if (fragment.count() < 1) Refuse(message, "a frame has at least one fragment");
  if (fragment.index() != next_fragment_) {
    Refuse(message, "expected fragment " + std::to_string(next_fragment_));
  }
  if (fragment.index() == 0) {
    Begin(message);
  } else {
    CheckContinues(message);
  }
  if (message.payload().empty()) Refuse(message, "its payload is empty");
  if (checks_crc32c_ && Crc32c(std::as_bytes(std::span(message.payload()))) != message.crc32c()) {
    throw ChecksumError(NameOf(message) + "its payload does not match its crc32c");
  }
  const auto frame_bytes = static_cast<std::size_t>(frame_bytes_);
  if (message.payload().size() > frame_bytes - frame_.pixels.size()) {
    Refuse(message, "the frame exceeds " + std::to_string(frame_bytes_) + " bytes");
  }
  // Lateness is known when a fragment is sent, not before.
  frame_.is_late = frame_.is_late || message.late();
  if (fragment.count() == 1) {
    frame_.pixels = std::move(*message.mutable_payload());
  } else {
    frame_.pixels.reserve(frame_bytes);
    frame_.pixels += message.payload();
  }
  if (++next_fragment_ < fragment_count_) return std::nullopt;

  if (frame_.pixels.size() != frame_bytes) {
    Refuse(message, "the frame has " + std::to_string(frame_.pixels.size()) + " bytes, not " +
                        std::to_string(frame_bytes_));
  }
  next_fragment_ = 0;
  ++next_frame_index_;
  frame_.arrived_at = arrived_at;
  return std::move(frame_);
}

void FrameAssembler::Drop(const v1::FrameDropped& dropped) {
  if (dropped.frame_index() != next_frame_index_ || next_fragment_ != 0) {
    throw ErrorInAnswer(Reason::kBadFragment,
                        "FrameDropped of frame " + std::to_string(dropped.frame_index()) +
                            ": expected frame " + std::to_string(next_frame_index_) +
                            (next_fragment_ == 0 ? "" : ", of which a part has come"));
  }
  ++next_frame_index_;
}

}  // namespace causeway::client
