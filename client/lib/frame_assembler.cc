// SPDX-License-Identifier: Apache-2.0
#include "client/lib/frame_assembler.h"

#include <utility>

#include "client/lib/decode_error.h"

namespace causeway::client {
namespace {

[[noreturn]] void Refuse(const v1::Frame& message, const std::string& problem) {
  throw ErrorInAnswer(Reason::kBadFragment,
                      "frame " + std::to_string(message.frame_index()) + ", fragment " +
                          std::to_string(message.fragment().index()) + " of " +
                          std::to_string(message.fragment().count()) + ": " + problem);
}

}  // namespace

std::optional<Frame> FrameAssembler::Add(v1::Frame message) {
  const v1::Fragment& fragment = message.fragment();
  if (message.frame_index() != next_frame_index_) {
    Refuse(message, "expected frame " + std::to_string(next_frame_index_));
  }
  if (fragment.count() < 1) Refuse(message, "a frame has at least one fragment");
  if (fragment.index() != next_fragment_) {
    Refuse(message, "expected fragment " + std::to_string(next_fragment_));
  }
  if (fragment.index() == 0) {
    fragment_count_ = fragment.count();
    frame_ = {message.frame_index(), message.chunk_seq(), message.last_of_chunk(), {}, {}};
  } else if (fragment.count() != fragment_count_ || message.chunk_seq() != frame_.chunk_seq ||
             message.last_of_chunk() != frame_.last_of_chunk) {
    Refuse(message, "its count, chunk_seq or last_of_chunk differ from the fragment before");
  }
  if (message.payload().empty()) Refuse(message, "its payload is empty");

  const auto frame_bytes = static_cast<std::size_t>(frame_bytes_);
  if (message.payload().size() > frame_bytes - frame_.pixels.size()) {
    Refuse(message, "the frame exceeds " + std::to_string(frame_bytes_) + " bytes");
  }
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
  frame_.arrived_at = std::chrono::steady_clock::now();
  return std::move(frame_);
}

}  // namespace causeway::client
