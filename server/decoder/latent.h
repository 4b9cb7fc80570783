// SPDX-License-Identifier: Apache-2.0
// Latents as they arrive, one taken out and made fp32.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "server/decoder/types.h"

namespace causeway::decoder {

/// The extents of a chunk of latents, whatever the order of its axes.
struct LatentShape {
  int channels = 0;
  int latents = 0;  // T
  int height = 0;   // of the latent grid
  int width = 0;
};

/// Bytes of one element.
std::int64_t DtypeBytes(LatentDtype dtype);

/// Bytes of a whole chunk. Throws FailureError(kPayloadSizeMismatch) where an extent is not
/// positive or the product does not fit into 63 bits.
std::int64_t ChunkBytes(const LatentShape& shape, LatentDtype dtype);

/// Copies latent `index` (0-based) of the chunk into `out`, [channels, height, width] fp32.
/// `payload` holds the chunk in the format's dtype and axes and need not be aligned.
/// Throws FailureError: kPayloadSizeMismatch where a size does not fit, kNonFiniteLatent at the
/// first NaN or infinity in the order of `out` (the message gives its latent, channel, row and
/// column); `out` then holds nothing of use.
void ConvertLatent(std::span<const std::byte> payload, const LatentFormat& format,
                   const LatentShape& shape, int index, std::span<float> out);

}  // namespace causeway::decoder
