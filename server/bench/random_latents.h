// SPDX-License-Identifier: Apache-2.0
// Latents of standard normal values, the same for a seed on every machine.
#pragma once

#include <cstdint>
#include <span>

namespace causeway::bench {

/// Fills latent number `index` of the stream that belongs to `seed`; a latent does not depend on
/// how many there are. The generator is SplitMix64 (G. Steele, D. Lea, C. Flood: Fast splittable
/// pseudorandom number generators, OOPSLA 2014), the normal values come from it by the Box-Muller
/// transform in fp64, rounded to fp32. The standard library's distributions differ from one
/// implementation to the next; of these values only the last bit may, with log, cos and sin.
void FillRandomLatent(std::uint64_t seed, std::int64_t index, std::span<float> latent);

}  // namespace causeway::bench
