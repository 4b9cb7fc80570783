// SPDX-License-Identifier: Apache-2.0
// Decodes a source of latents in one session and takes the time.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "server/bench/latent_source.h"
#include "server/decoder/decoder.h"
#include "server/decoder/step_times.h"

namespace causeway::bench {

using Nanoseconds = std::chrono::nanoseconds;

struct RunTimes {
  std::vector<Nanoseconds> latents;  // of each: from the fp32 latent to its packed frames
  std::int64_t frames = 0;
  decoder::StepTimes steps;  // sum over the latents

  /// Sum of `latents`.
  Nanoseconds total() const;
};

/// Takes the frames of one latent; its time does not count.
using FrameSink = std::function<void(const decoder::DecodedLatent& decoded)>;

/// Decodes all latents of `source`, one after the other, in a session that is new. `sink` may be
/// empty. Throws what the source, the session and the sink throw.
RunTimes DecodeAll(decoder::DecodeSession& session, const LatentSource& source,
                   const FrameSink& sink);

/// Sums up the times of the latents of each chunk. `chunks` must sum to the number of latents;
/// throws std::invalid_argument otherwise.
std::vector<Nanoseconds> ChunkTimes(const std::vector<Nanoseconds>& latents,
                                    const std::vector<int>& chunks);

}  // namespace causeway::bench
