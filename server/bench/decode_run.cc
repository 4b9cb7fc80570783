// SPDX-License-Identifier: Apache-2.0
#include "server/bench/decode_run.h"

#include <numeric>
#include <stdexcept>

namespace causeway::bench {

Nanoseconds RunTimes::total() const {
  return std::accumulate(latents.begin(), latents.end(), Nanoseconds{0});
}

RunTimes DecodeAll(decoder::DecodeSession& session, const LatentSource& source,
                   const FrameSink& sink) {
  using Clock = std::chrono::steady_clock;
  const decoder::LatentShape& shape = source.shape();
  std::vector<float> latent(static_cast<std::size_t>(shape.channels) *
                            static_cast<std::size_t>(shape.height) *
                            static_cast<std::size_t>(shape.width));
  RunTimes times;
  for (int index = 0; index < shape.latents; ++index) {
    source.Read(index, latent);
    const Clock::time_point start = Clock::now();
    const decoder::DecodedLatent decoded = session.DecodeLatent(latent);
    times.latents.push_back(Clock::now() - start);
    times.frames += decoded.frame_count;
    times.steps += decoded.times;
    if (sink) sink(decoded);
  }
  return times;
}

std::vector<Nanoseconds> ChunkTimes(const std::vector<Nanoseconds>& latents,
                                    const std::vector<int>& chunks) {
  std::vector<Nanoseconds> sums;
  std::size_t next = 0;
  for (const int chunk : chunks) {
    Nanoseconds sum{0};
    for (int index = 0; index < chunk; ++index) {
      if (next == latents.size()) throw std::invalid_argument("chunks hold more latents than ran");
      sum += latents[next++];
    }
    sums.push_back(sum);
  }
  if (next != latents.size()) throw std::invalid_argument("chunks hold fewer latents than ran");
  return sums;
}

}  // namespace causeway::bench
