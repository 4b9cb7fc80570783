// SPDX-License-Identifier: Apache-2.0
// The shapes that matter, as one table: tests, benchmarks and documents read it.
#pragma once

#include <span>
#include <string_view>

namespace causeway::kernels {

enum class SignatureSource {
  kSeed,     // a row of the seed profile: a 704x320 shard of a Wan 2.1 decoder
  kDecoder,  // another shape of the decoder: other base widths, the smallest picture
  kHostile,  // a shape that an index fault would not survive
};

/// One convolution. Extents without padding; the frames read are frames + time_taps - 1.
struct Signature {
  SignatureSource source;
  int seed_row;  // its number in the seed, else -1
  int in_channels;
  int out_channels;
  int time_taps;   // 3 or 1
  int space_taps;  // 3 or 1, each way
  int frames;      // output frames
  int height;
  int width;
  // The seed's times in microseconds: of the convolution kernel alone and of the whole row with its
  // layout conversions and bias (NCU, cuDNN, TF32, an H200-class GPU). 0 where there is none.
  double seed_conv_us;
  double seed_row_us;
  std::string_view why;
};

std::span<const Signature> Signatures();

}  // namespace causeway::kernels
