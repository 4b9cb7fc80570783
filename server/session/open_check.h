// SPDX-License-Identifier: Apache-2.0
// Whether an Open can be served, before anything is reserved for it.
#pragma once

#include <cstdint>
#include <optional>

#include "server/session/messages.h"

namespace causeway {

inline constexpr int kMinFragmentBytes = 64 * 1024;
inline constexpr int kMaxFragmentBytes = 3 * 1024 * 1024;
inline constexpr int kDefaultFragmentBytes = 1024 * 1024;
inline constexpr int kMaxClientRefBytes = 64;
inline constexpr int kMaxPingBytes = 8;
inline constexpr int kMinExtent = 8;
inline constexpr int kMaxExtent = 8192;
inline constexpr int kMaxFrameCredits = 64;
inline constexpr int kDefaultFrameCredits = 16;
inline constexpr double kMinFps = 0.01;
inline constexpr double kMaxFps = 1000;

/// What a chunk's message holds beside its payload, at most: tags, lengths, numbers.
inline constexpr int kChunkHeaderBytes = 128;

/// What follows from an Open that can be served.
struct OpenTerms {
  StreamFacts facts;
  int fragment_bytes = kDefaultFragmentBytes;
  int max_chunk_latents = 0;         // what fits into one message; at least 1
  std::optional<int> frame_credits;  // at first; nothing: no credits in force
};

/// Fails with kUnknownModel, kBadGeometry or kBadOption and the field.
Result<OpenTerms> CheckOpen(const OpenRequest& request, const DecodeWorker& worker,
                            int max_message_bytes);

}  // namespace causeway
