// SPDX-License-Identifier: Apache-2.0
// Cuts latents into chunks that a server takes, and chunks into messages that its transport takes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "causeway/v1/decode.pb.h"

namespace causeway::client {

/// Consecutive latents as a caller hands them over.
struct Latents {
  std::int32_t count = 0;
  // channels * count * height/8 * width/8 elements in the format and axes of Open.
  std::string payload;
  std::int64_t pts = 0;          // of their first frame, in units of Open.timing
  std::int64_t deadline_us = 0;  // from their arrival at the server; 0: from target_fps, or none
};

/// `latents` as several of at most `most` latents each, in order. `channels`: of one latent; `axes`
/// says how the payload is cut. pts move on by the frames of the parts before, four a latent (the
/// first latent of a session counts as one with `is_first`), where `timing` gives a timebase and a
/// rate. Precondition: most >= 1, latents.count >= 1.
std::vector<Latents> SplitLatents(Latents latents, std::int32_t most, std::int32_t channels,
                                  v1::Axes axes, const v1::FrameRule& rule, bool is_first,
                                  const v1::Timing& timing);

/// One chunk as its messages: one where the payload fits into `max_payload_bytes`, else fragments
/// of that size, the last one shorter. `with_crc32c`: each message carries its payload's checksum.
std::vector<v1::LatentChunk> ChunkMessages(std::uint64_t chunk_seq, Latents latents,
                                           std::int64_t max_payload_bytes, bool with_crc32c);

}  // namespace causeway::client
