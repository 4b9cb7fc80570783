// SPDX-License-Identifier: Apache-2.0
// What the host hands to the portable kernel. Plain data, the same for host and device.
#pragma once

#include <cstdint>

#include "causeway/kernels/conv3d_epilogue.h"
#include "causeway/kernels/frame_list.h"

namespace causeway::kernels::portable {

struct Conv3dKernelParams {
  const void* input;          // pages of [in_units][H][W][unit]
  const void* weights;        // as PackWeights makes them
  const float* bias;          // [padded out channels]
  const float* scaled_gamma;  // [padded out channels]; null without a norm
  const void* residual;       // pages of [out_units][H][W][unit]; null without one
  void* raw;                  // likewise
  void* output;               // likewise, elements
  const FrameEntry* frames;
  RawType residual_type;
  RawType raw_type;
  NormType norm;
  std::int32_t height;
  std::int32_t width;
  std::int32_t in_units;   // units of input channels in a page
  std::int32_t out_units;  // units of output channels in a page
  std::int32_t chunks;     // of input channels, the last one filled up with zeros
  std::int32_t tiles_x;
  std::int32_t tiles_y;
};

/// The tile's first pixel.
struct TilePosition {
  int y;
  int x;
};

/// The compile-time form of a TileConfig.
template <int kHeight_, int kWidth_, int kWarpsM_, int kWarpsN_, int kMmaM_, int kMmaN_,
          int kChunkUnits_, int kWeightStages_>
struct PortableTile {
  static constexpr int kHeight = kHeight_;
  static constexpr int kWidth = kWidth_;
  static constexpr int kWarpsM = kWarpsM_;
  static constexpr int kWarpsN = kWarpsN_;
  static constexpr int kMmaM = kMmaM_;
  static constexpr int kMmaN = kMmaN_;
  static constexpr int kChunkUnits = kChunkUnits_;
  static constexpr int kWeightStages = kWeightStages_;

  static constexpr int kThreads = 32 * kWarpsM * kWarpsN;
  static constexpr int kChannels = 8 * kWarpsN * kMmaN;
  static constexpr int kPatchHeight = kHeight + 2;
  static constexpr int kPatchWidth = kWidth + 2;
  static constexpr int kPlaneBytes = 16 * kPatchHeight * kPatchWidth;
  static constexpr int kPatchBytes = kChunkUnits * kPlaneBytes;
  static constexpr int kPatchCopies = kChunkUnits * kPatchHeight * kPatchWidth;
  static constexpr int kSliceBytes = 16 * kChunkUnits * kChannels;
  static constexpr int kSliceCopies = kChunkUnits * kChannels;
  static constexpr int kSharedBytes = 2 * kPatchBytes + kWeightStages * kSliceBytes;

  static_assert(kHeight % 2 == 0 && kWidth % 8 == 0, "a product covers 2 x 8 pixels");
  static_assert(kHeight * kWidth == 16 * kWarpsM * kMmaM, "the warps cover the tile exactly");
  static_assert(kMmaN % 2 == 0, "weights are read for two products at once");
  static_assert(kChunkUnits % 2 == 0, "a product takes two units of input channels");
  static_assert(kWeightStages >= 3 && kWeightStages <= 6, "see Mainloop: patches need free taps");
};

}  // namespace causeway::kernels::portable
