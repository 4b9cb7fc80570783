// SPDX-License-Identifier: Apache-2.0
// The oracle: the decoder's operations as plain loops in fp64, written to be checked by eye and to
// share nothing with any backend. Slow on purpose; for shapes of a few pixels.
#pragma once

#include <cstddef>
#include <vector>

namespace causeway::oracle {

/// [frames, height, width, channels], row-major.
struct Activation {
  int frames = 0;
  int height = 0;
  int width = 0;
  int channels = 0;
  std::vector<double> values;

  Activation() = default;
  Activation(int f, int h, int w, int c)
      : frames(f),
        height(h),
        width(w),
        channels(c),
        values(static_cast<std::size_t>(f) * static_cast<std::size_t>(h) *
               static_cast<std::size_t>(w) * static_cast<std::size_t>(c)) {}

  std::size_t Index(int f, int y, int x, int c) const {
    return ((static_cast<std::size_t>(f) * static_cast<std::size_t>(height) +
             static_cast<std::size_t>(y)) *
                static_cast<std::size_t>(width) +
            static_cast<std::size_t>(x)) *
               static_cast<std::size_t>(channels) +
           static_cast<std::size_t>(c);
  }
  double& At(int f, int y, int x, int c) { return values[Index(f, y, x, c)]; }
  double At(int f, int y, int x, int c) const { return values[Index(f, y, x, c)]; }
  /// 0 outside the extents: zero padding in every direction.
  double AtOrZero(int f, int y, int x, int c) const {
    const bool is_inside = f >= 0 && f < frames && y >= 0 && y < height && x >= 0 && x < width;
    return is_inside ? At(f, y, x, c) : 0.0;
  }
};

/// A convolution's weights: [out, in, time, height, width], row-major, and bias [out].
struct Filter {
  int out = 0;
  int in = 0;
  int time = 1;
  int height = 1;
  int width = 1;
  std::vector<double> weight;
  std::vector<double> bias;

  double At(int o, int i, int t, int y, int x) const {
    return weight[static_cast<std::size_t>((((o * in + i) * time + t) * height + y) * width + x)];
  }
};

/// x / max(|x|, 1e-12) * sqrt(C) * gamma over the channels of a position.
Activation RmsNorm(const Activation& x, const std::vector<double>& gamma);

/// x / (1 + exp(-x)).
Activation Silu(const Activation& x);

/// Cross-correlation with zero padding: (time - 1) frames in front and none behind; half the
/// filter on each side in space.
Activation CausalConv(const Activation& x, const Filter& filter);

/// Each frame alone: softmax(q k^T / sqrt(C)) v with q, k, v the thirds of the channels.
Activation Attention(const Activation& qkv);

/// Frame t gives frame 2t from the first half of the channels and 2t + 1 from the second.
Activation DeinterleaveFrames(const Activation& x);

/// Every pixel doubled in y and x.
Activation NearestDouble(const Activation& x);

Activation Add(const Activation& a, const Activation& b);

/// Frames [begin, end).
Activation Frames(const Activation& x, int begin, int end);

/// `a`'s frames, then `b`'s.
Activation Concatenate(const Activation& a, const Activation& b);

}  // namespace causeway::oracle
