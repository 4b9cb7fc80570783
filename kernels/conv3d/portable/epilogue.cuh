// SPDX-License-Identifier: Apache-2.0
// From accumulators to memory: bias, residual, raw store, RMS norm over the channels, SiLU, store.
//
// Lane l of a warp holds, of each product, channels 2 (l % 4) and 2 (l % 4) + 1 of pixel l / 4 in
// the upper row (values 0, 1) and in the lower row (values 2, 3) of the 2 x 8 block. So a quad of
// lanes holds a pixel's channels of the warp, and a warp's store of one block of 8 channels covers
// 8 neighbouring pixels: contiguous memory. Where several warps share a pixel (warps_n > 1), their
// partial sums of squares are added through shared memory, in the order of the warps.
#pragma once

#include <cstdint>

#include "kernels/conv3d/portable/element_traits.cuh"
#include "kernels/conv3d/portable/params.h"
#include "kernels/primitives/primitives.h"

namespace causeway::kernels::portable {

/// A pair of raw values, which are fp32 or elements. The choice is the same for a whole launch:
/// a branch that all threads take together.
template <class Traits>
struct RawValues {
  CAUSEWAY_DEVICE static void LoadPair(RawType type, const void* pool, std::int64_t offset,
                                       float& first, float& second) {
    if (type == RawType::kFp32) {
      Fp32Pair::LoadPair(static_cast<const float*>(pool) + offset, first, second);
    } else {
      Traits::LoadPair(static_cast<const char*>(pool) + Traits::kElementBytes * offset, first,
                       second);
    }
  }
  CAUSEWAY_DEVICE static void StorePair(RawType type, void* pool, std::int64_t offset, float first,
                                        float second) {
    if (type == RawType::kFp32) {
      Fp32Pair::StorePair(static_cast<float*>(pool) + offset, first, second);
    } else {
      Traits::StorePair(static_cast<char*>(pool) + Traits::kElementBytes * offset, first, second);
    }
  }
};

template <class Traits, class Tile>
struct Epilogue {
  using Accumulators = float[Tile::kMmaM][Tile::kMmaN][4];

  /// A pixel of the frame, or none where the tile hangs over the picture's edge.
  struct Pixel {
    bool is_inside;
    std::int64_t index;  // y * width + x
  };

  CAUSEWAY_DEVICE static int Lane() { return static_cast<int>(ThreadIndex()) % 32; }
  CAUSEWAY_DEVICE static int WarpM() {
    return static_cast<int>(ThreadIndex()) / 32 % Tile::kWarpsM;
  }
  CAUSEWAY_DEVICE static int WarpN() {
    return static_cast<int>(ThreadIndex()) / 32 / Tile::kWarpsM;
  }

  /// The pixel of row `half` (0 upper, 1 lower) of block m.
  CAUSEWAY_DEVICE static Pixel PixelOf(const Conv3dKernelParams& params,
                                       const TilePosition& position, int m, int half) {
    const int block = WarpM() * Tile::kMmaM + m;
    const int y = position.y + block / (Tile::kWidth / 8) * 2 + half;
    const int x = position.x + block % (Tile::kWidth / 8) * 8 + Lane() / 4;
    return {y < params.height && x < params.width, std::int64_t{y} * params.width + x};
  }

  /// The first of this lane's two channels of block n.
  CAUSEWAY_DEVICE static int ChannelOf(int n) {
    return (WarpN() * Tile::kMmaN + n) * 8 + Lane() % 4 * 2;
  }

  CAUSEWAY_DEVICE static bool IsStored(const Conv3dKernelParams& params, int channel) {
    return channel < params.out_units * Traits::kUnitChannels;
  }

  /// Elements from the start of a pool to a channel of a pixel.
  CAUSEWAY_DEVICE static std::int64_t Offset(const Conv3dKernelParams& params, std::int32_t page,
                                             const Pixel& pixel, int channel) {
    const std::int64_t plane = std::int64_t{params.height} * params.width;
    const int unit = channel / Traits::kUnitChannels;
    return ((std::int64_t{page} * params.out_units + unit) * plane + pixel.index) *
               Traits::kUnitChannels +
           channel % Traits::kUnitChannels;
  }

  CAUSEWAY_DEVICE static void Run(const Conv3dKernelParams& params, const FrameEntry& entry,
                                  const TilePosition& position, Accumulators& accumulators) {
    float squares[Tile::kMmaM][2];
    CAUSEWAY_UNROLL
    for (int m = 0; m < Tile::kMmaM; ++m) {
      CAUSEWAY_UNROLL
      for (int half = 0; half < 2; ++half) {
        squares[m][half] = FinishSums(params, entry, position, m, half, accumulators[m]);
      }
    }
    if (params.norm == NormType::kNone) return;
    AddAcrossWarps(squares);
    CAUSEWAY_UNROLL
    for (int m = 0; m < Tile::kMmaM; ++m) {
      CAUSEWAY_UNROLL
      for (int half = 0; half < 2; ++half) {
        StoreNormed(params, entry, position, m, half, squares[m][half], accumulators[m]);
      }
    }
  }

  /// Bias, residual and raw store of one pixel's channels; returns this quad's sum of squares.
  CAUSEWAY_DEVICE static float FinishSums(const Conv3dKernelParams& params, const FrameEntry& entry,
                                          const TilePosition& position, int m, int half,
                                          float (&sums)[Tile::kMmaN][4]) {
    const Pixel pixel = PixelOf(params, position, m, half);
    float squares = 0.0F;
    CAUSEWAY_UNROLL
    for (int n = 0; n < Tile::kMmaN; ++n) {
      const int channel = ChannelOf(n);
      float first = sums[n][2 * half];
      float second = sums[n][2 * half + 1];
      float bias[2];
      Fp32Pair::LoadPair(params.bias + channel, bias[0], bias[1]);
      first += bias[0];
      second += bias[1];
      const bool is_stored = pixel.is_inside && IsStored(params, channel);
      if (params.residual_type != RawType::kNone && is_stored) {
        float residual[2];
        RawValues<Traits>::LoadPair(params.residual_type, params.residual,
                                    Offset(params, entry.residual, pixel, channel), residual[0],
                                    residual[1]);
        first += residual[0];
        second += residual[1];
      }
      if (params.raw_type != RawType::kNone && is_stored) {
        RawValues<Traits>::StorePair(params.raw_type, params.raw,
                                     Offset(params, entry.raw, pixel, channel), first, second);
      }
      squares += first * first + second * second;
      sums[n][2 * half] = first;
      sums[n][2 * half + 1] = second;
    }
    squares += ShuffleXor(squares, 1);
    return squares + ShuffleXor(squares, 2);
  }

  CAUSEWAY_DEVICE static void AddAcrossWarps(float (&squares)[Tile::kMmaM][2]) {
    if (Tile::kWarpsN == 1) return;
    // [warps_n][pixels] fp32, over what the main loop has finished with.
    const std::uint32_t base = SharedAddress(DynamicShared());
    const auto address = [&](int warp_n, int m, int half) {
      const int pixel = ((WarpM() * Tile::kMmaM + m) * 2 + half) * 8 + Lane() / 4;
      return base + static_cast<std::uint32_t>(4 * (warp_n * Tile::kHeight * Tile::kWidth + pixel));
    };
    CAUSEWAY_UNROLL
    for (int m = 0; m < Tile::kMmaM; ++m) {
      CAUSEWAY_UNROLL
      for (int half = 0; half < 2; ++half) {
        if (Lane() % 4 == 0) StoreShared(address(WarpN(), m, half), squares[m][half]);
      }
    }
    SyncThreads();
    CAUSEWAY_UNROLL
    for (int m = 0; m < Tile::kMmaM; ++m) {
      CAUSEWAY_UNROLL
      for (int half = 0; half < 2; ++half) {
        float sum = 0.0F;
        CAUSEWAY_UNROLL
        for (int warp_n = 0; warp_n < Tile::kWarpsN; ++warp_n) {
          sum += LoadShared<float>(address(warp_n, m, half));
        }
        squares[m][half] = sum;
      }
    }
  }

  CAUSEWAY_DEVICE static void StoreNormed(const Conv3dKernelParams& params, const FrameEntry& entry,
                                          const TilePosition& position, int m, int half,
                                          float squares, const float (&sums)[Tile::kMmaN][4]) {
    const Pixel pixel = PixelOf(params, position, m, half);
    // x / max(|x|, 1e-12) as x * rsqrt(max(|x|^2, 1e-24)).
    const float inverse_norm = ApproxRsqrt(squares > 1e-24F ? squares : 1e-24F);
    CAUSEWAY_UNROLL
    for (int n = 0; n < Tile::kMmaN; ++n) {
      const int channel = ChannelOf(n);
      if (!pixel.is_inside || !IsStored(params, channel)) continue;
      float gamma[2];
      Fp32Pair::LoadPair(params.scaled_gamma + channel, gamma[0], gamma[1]);
      Traits::StorePair(static_cast<char*>(params.output) +
                            Traits::kElementBytes * Offset(params, entry.output, pixel, channel),
                        Activate(params.norm, sums[n][2 * half] * inverse_norm * gamma[0]),
                        Activate(params.norm, sums[n][2 * half + 1] * inverse_norm * gamma[1]));
    }
  }

  /// After the norm: y, or y / (1 + exp(-y)). One exponential and one reciprocal; tanh.approx would
  /// be one instruction fewer but has an error of a half's last bit by itself.
  CAUSEWAY_DEVICE static float Activate(NormType norm, float y) {
    constexpr float kLog2E = 1.442695041F;
    if (norm == NormType::kRms) return y;
    return y * ApproxReciprocal(1.0F + ApproxExp2(-kLog2E * y));
  }
};

}  // namespace causeway::kernels::portable
