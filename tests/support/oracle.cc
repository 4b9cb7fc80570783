// SPDX-License-Identifier: Apache-2.0
#include "tests/support/oracle.h"

#include <algorithm>
#include <cmath>

namespace causeway::oracle {
namespace {

/// Calls `visit(f, y, x)` for every position of `shape`.
template <typename Visit>
void ForEachPosition(const Activation& shape, const Visit& visit) {
  for (int f = 0; f < shape.frames; ++f) {
    for (int y = 0; y < shape.height; ++y) {
      for (int x = 0; x < shape.width; ++x) visit(f, y, x);
    }
  }
}

}  // namespace

Activation RmsNorm(const Activation& x, const std::vector<double>& gamma) {
  Activation out = x;
  ForEachPosition(x, [&](int f, int y, int px) {
    double squares = 0.0;
    for (int c = 0; c < x.channels; ++c) squares += x.At(f, y, px, c) * x.At(f, y, px, c);
    const double norm = std::max(std::sqrt(squares), 1e-12);
    for (int c = 0; c < x.channels; ++c) {
      out.At(f, y, px, c) =
          x.At(f, y, px, c) / norm * std::sqrt(x.channels) * gamma[static_cast<std::size_t>(c)];
    }
  });
  return out;
}

Activation Silu(const Activation& x) {
  Activation out = x;
  for (double& value : out.values) value /= 1.0 + std::exp(-value);
  return out;
}

Activation CausalConv(const Activation& x, const Filter& filter) {
  Activation out(x.frames, x.height, x.width, filter.out);
  ForEachPosition(out, [&](int f, int y, int px) {
    for (int o = 0; o < filter.out; ++o) {
      double sum = filter.bias[static_cast<std::size_t>(o)];
      for (int t = 0; t < filter.time; ++t) {
        for (int r = 0; r < filter.height; ++r) {
          for (int s = 0; s < filter.width; ++s) {
            for (int i = 0; i < filter.in; ++i) {
              sum += filter.At(o, i, t, r, s) * x.AtOrZero(f + t - (filter.time - 1),
                                                           y + r - filter.height / 2,
                                                           px + s - filter.width / 2, i);
            }
          }
        }
      }
      out.At(f, y, px, o) = sum;
    }
  });
  return out;
}

Activation Attention(const Activation& qkv) {
  const int channels = qkv.channels / 3;
  Activation out(qkv.frames, qkv.height, qkv.width, channels);
  ForEachPosition(out, [&](int f, int y, int x) {
    std::vector<double> scores;
    for (int ky = 0; ky < qkv.height; ++ky) {
      for (int kx = 0; kx < qkv.width; ++kx) {
        double score = 0.0;
        for (int c = 0; c < channels; ++c) {
          score += qkv.At(f, y, x, c) * qkv.At(f, ky, kx, channels + c);
        }
        scores.push_back(score / std::sqrt(channels));
      }
    }
    const double largest = *std::max_element(scores.begin(), scores.end());
    double total = 0.0;
    for (double& score : scores) {
      score = std::exp(score - largest);
      total += score;
    }
    for (int c = 0; c < channels; ++c) {
      double sum = 0.0;
      for (int ky = 0; ky < qkv.height; ++ky) {
        for (int kx = 0; kx < qkv.width; ++kx) {
          sum += scores[static_cast<std::size_t>(ky * qkv.width + kx)] *
                 qkv.At(f, ky, kx, 2 * channels + c);
        }
      }
      out.At(f, y, x, c) = sum / total;
    }
  });
  return out;
}

Activation DeinterleaveFrames(const Activation& x) {
  const int channels = x.channels / 2;
  Activation out(2 * x.frames, x.height, x.width, channels);
  ForEachPosition(out, [&](int f, int y, int px) {
    for (int c = 0; c < channels; ++c) {
      out.At(f, y, px, c) = x.At(f / 2, y, px, f % 2 * channels + c);
    }
  });
  return out;
}

Activation NearestDouble(const Activation& x) {
  Activation out(x.frames, 2 * x.height, 2 * x.width, x.channels);
  ForEachPosition(out, [&](int f, int y, int px) {
    for (int c = 0; c < x.channels; ++c) out.At(f, y, px, c) = x.At(f, y / 2, px / 2, c);
  });
  return out;
}

Activation Add(const Activation& a, const Activation& b) {
  Activation out = a;
  for (std::size_t i = 0; i < out.values.size(); ++i) out.values[i] += b.values[i];
  return out;
}

Activation Frames(const Activation& x, int begin, int end) {
  Activation out(end - begin, x.height, x.width, x.channels);
  const auto first = x.values.begin() + static_cast<std::ptrdiff_t>(x.Index(begin, 0, 0, 0));
  std::copy(first, first + static_cast<std::ptrdiff_t>(out.values.size()), out.values.begin());
  return out;
}

Activation Concatenate(const Activation& a, const Activation& b) {
  Activation out(a.frames + b.frames, a.height, a.width, a.channels);
  const auto middle = std::copy(a.values.begin(), a.values.end(), out.values.begin());
  std::copy(b.values.begin(), b.values.end(), middle);
  return out;
}

}  // namespace causeway::oracle
