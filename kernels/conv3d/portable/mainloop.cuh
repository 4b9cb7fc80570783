// SPDX-License-Identifier: Apache-2.0
// The sum over time taps, channel chunks and space taps.
//
// Its unit of progress is a slice: one space tap of one chunk of one time tap. Slice t needs the
// weights of slice t and the patch of its chunk. While slice t is multiplied, the weights of slice
// t + kAhead and a part of the next patch are on their way, in one group of asynchronous copies a
// slice. A ring of kAhead + 1 weight slices and two patches is enough, with one barrier a slice:
//
//   wait until group t is complete        own copies have landed
//   barrier                               everybody's have, and slice t - 1 is read by nobody
//   start group t + kAhead                overwrites what slice t - 1 read
//   multiply slice t
//
// The next patch is copied in parts during the first 9 - kAhead taps: its last part is then in the
// group of a slice that is waited for before the patch is first read, and its first part is started
// after the barrier that ends the use of the patch before the current one.
#pragma once

#include <cstdint>

#include "kernels/conv3d/portable/params.h"
#include "kernels/primitives/primitives.h"

namespace causeway::kernels::portable {

template <class Traits, class Tile>
struct Mainloop {
  static constexpr int kTaps = 9;
  static constexpr int kAhead = Tile::kWeightStages - 1;
  static constexpr int kPatchParts = kTaps - kAhead;

  using Accumulators = float[Tile::kMmaM][Tile::kMmaN][4];

  /// The input pages of the frame that exist, oldest first. Registers and choices: an array with a
  /// running index would live in memory.
  struct TimeTaps {
    int count = 0;
    std::uint32_t times = 0;  // two bits each: the time tap of entry 0, 1, 2
    std::int32_t oldest = kNoPage;
    std::int32_t middle = kNoPage;
    std::int32_t newest = kNoPage;

    CAUSEWAY_DEVICE int Time(int index) const {
      return static_cast<int>(times >> (2 * index) & 3U);
    }
    CAUSEWAY_DEVICE std::int32_t Page(int index) const {
      const int time = Time(index);
      return time == 0 ? oldest : time == 1 ? middle : newest;
    }
  };

  /// History that does not exist adds zeros: leaving it out gives the same bits.
  CAUSEWAY_DEVICE static TimeTaps ListTimeTaps(const FrameEntry& entry) {
    TimeTaps taps;
    taps.oldest = entry.inputs[0];
    taps.middle = entry.inputs[1];
    taps.newest = entry.inputs[2];
    CAUSEWAY_UNROLL
    for (int time = 0; time < 3; ++time) {
      if (entry.inputs[time] == kNoPage) continue;
      taps.times |= static_cast<std::uint32_t>(time) << (2 * taps.count);
      ++taps.count;
    }
    return taps;
  }

  CAUSEWAY_DEVICE static void Run(const Conv3dKernelParams& params, const FrameEntry& entry,
                                  const TilePosition& position, Accumulators& accumulators) {
    CAUSEWAY_UNROLL
    for (int m = 0; m < Tile::kMmaM; ++m) {
      CAUSEWAY_UNROLL
      for (int n = 0; n < Tile::kMmaN; ++n) {
        CAUSEWAY_UNROLL
        for (int i = 0; i < 4; ++i) accumulators[m][n][i] = 0.0F;
      }
    }
    const TimeTaps taps = ListTimeTaps(entry);
    const int patches = taps.count * params.chunks;
    const int slices = patches * kTaps;
    if (slices == 0) return;

    for (int part = 0; part < kPatchParts; ++part) {
      CopyPatchPart(params, taps, position, 0, part);
    }
    for (int slice = 0; slice < kAhead; ++slice) {
      CopyWeights(params, taps, slice, slices);
      CommitCopies();
    }
    CAUSEWAY_NO_UNROLL
    for (int slice = 0; slice < slices; ++slice) {
      WaitCopies<kAhead - 1>();
      SyncThreads();
      const int patch = slice / kTaps;
      const int tap = slice % kTaps;
      CopyWeights(params, taps, slice + kAhead, slices);
      if (tap < kPatchParts && patch + 1 < patches) {
        CopyPatchPart(params, taps, position, patch + 1, tap);
      }
      CommitCopies();
      MultiplySlice(patch, tap, slice, accumulators);
    }
    // The epilogue reuses shared memory.
    WaitCopies<0>();
    SyncThreads();
  }

  CAUSEWAY_DEVICE static std::uint32_t PatchAddress(int patch) {
    return SharedAddress(DynamicShared()) +
           static_cast<std::uint32_t>(patch % 2 * Tile::kPatchBytes);
  }

  CAUSEWAY_DEVICE static std::uint32_t WeightAddress(int slice) {
    return SharedAddress(DynamicShared()) +
           static_cast<std::uint32_t>(2 * Tile::kPatchBytes +
                                      slice % Tile::kWeightStages * Tile::kSliceBytes);
  }

  CAUSEWAY_DEVICE static void CopyWeights(const Conv3dKernelParams& params, const TimeTaps& taps,
                                          int slice, int slices) {
    if (slice >= slices) return;
    const int patch = slice / kTaps;
    const int time = taps.Time(patch / params.chunks);
    const int chunk = patch % params.chunks;
    const std::int64_t index = (std::int64_t{time} * params.chunks + chunk) * kTaps + slice % kTaps;
    const auto* source = static_cast<const char*>(params.weights) + index * Tile::kSliceBytes;
    const std::uint32_t target = WeightAddress(slice);
    for (int copy = static_cast<int>(ThreadIndex()); copy < Tile::kSliceCopies;
         copy += Tile::kThreads) {
      CopyAsync16(target + static_cast<std::uint32_t>(16 * copy), source + 16 * copy, true);
    }
  }

  /// A part of the patch: every kPatchParts-th stride of the block over its units. Outside of the
  /// picture, and in units beyond the page's channels, zeros are written.
  CAUSEWAY_DEVICE static void CopyPatchPart(const Conv3dKernelParams& params, const TimeTaps& taps,
                                            const TilePosition& position, int patch, int part) {
    const std::int64_t plane = std::int64_t{params.height} * params.width;
    const std::int64_t page = taps.Page(patch / params.chunks);
    const int first_unit = patch % params.chunks * Tile::kChunkUnits;
    const auto* source =
        static_cast<const char*>(params.input) + 16 * (page * params.in_units + first_unit) * plane;
    const std::uint32_t target = PatchAddress(patch);
    for (int copy = part * Tile::kThreads + static_cast<int>(ThreadIndex());
         copy < Tile::kPatchCopies; copy += kPatchParts * Tile::kThreads) {
      const int unit = copy / (Tile::kPatchHeight * Tile::kPatchWidth);
      const int pixel = copy % (Tile::kPatchHeight * Tile::kPatchWidth);
      const int y = position.y + pixel / Tile::kPatchWidth - 1;
      const int x = position.x + pixel % Tile::kPatchWidth - 1;
      const bool is_inside = y >= 0 && y < params.height && x >= 0 && x < params.width &&
                             first_unit + unit < params.in_units;
      const std::int64_t offset =
          is_inside ? 16 * (unit * plane + std::int64_t{y} * params.width + x) : 0;
      CopyAsync16(target + static_cast<std::uint32_t>(16 * copy), source + offset, is_inside);
    }
  }

  CAUSEWAY_DEVICE static void MultiplySlice(int patch, int tap, int slice,
                                            Accumulators& accumulators) {
    const int lane = static_cast<int>(ThreadIndex()) % 32;
    const int warp = static_cast<int>(ThreadIndex()) / 32;
    const int warp_m = warp % Tile::kWarpsM;
    const int warp_n = warp / Tile::kWarpsM;

    // ldmatrix takes the address of row lane % 8 of matrix lane / 8. Pixels: matrices 0 and 1 are
    // the upper and lower row of the 2 x 8 block in the first unit, 2 and 3 in the second.
    std::uint32_t pixels[Tile::kMmaM];
    CAUSEWAY_UNROLL
    for (int m = 0; m < Tile::kMmaM; ++m) {
      const int block = warp_m * Tile::kMmaM + m;
      const int y = block / (Tile::kWidth / 8) * 2 + lane / 8 % 2 + tap / 3;
      const int x = block % (Tile::kWidth / 8) * 8 + lane % 8 + tap % 3;
      pixels[m] =
          PatchAddress(patch) + static_cast<std::uint32_t>(lane / 16 * Tile::kPlaneBytes +
                                                           16 * (y * Tile::kPatchWidth + x));
    }
    // Weights: matrices 0 and 1 are the two units of one block of 8 output channels, 2 and 3 of the
    // next.
    const int channel = warp_n * Tile::kMmaN * 8 + lane / 16 * 8 + lane % 8;
    const std::uint32_t weights =
        WeightAddress(slice) +
        static_cast<std::uint32_t>(16 * (lane / 8 % 2 * Tile::kChannels + channel));

    CAUSEWAY_UNROLL
    for (int step = 0; step < Tile::kChunkUnits / 2; ++step) {
      std::uint32_t a[Tile::kMmaM][4];
      CAUSEWAY_UNROLL
      for (int m = 0; m < Tile::kMmaM; ++m) {
        LoadMatrix4(a[m], pixels[m] + static_cast<std::uint32_t>(2 * step * Tile::kPlaneBytes));
      }
      CAUSEWAY_UNROLL
      for (int n = 0; n < Tile::kMmaN; n += 2) {
        std::uint32_t b[4];
        LoadMatrix4(
            b, weights + static_cast<std::uint32_t>(16 * (2 * step * Tile::kChannels + 8 * n)));
        const std::uint32_t low[2] = {b[0], b[1]};
        const std::uint32_t high[2] = {b[2], b[3]};
        CAUSEWAY_UNROLL
        for (int m = 0; m < Tile::kMmaM; ++m) {
          Traits::Multiply(accumulators[m][n], a[m], low);
          Traits::Multiply(accumulators[m][n + 1], a[m], high);
        }
      }
    }
  }
};

}  // namespace causeway::kernels::portable
