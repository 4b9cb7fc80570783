// SPDX-License-Identifier: Apache-2.0
// Causal 3x3x3 convolution, stride 1, spatial zero padding 1, with everything that follows it on
// its way to memory: bias, residual, raw store, RMS norm and SiLU.
//
//   problem -> ChooseTile (pure, host) -> TileConfig -> PackWeights -> LaunchConv3d -> kernel
//
// Activations: [page][C / U][H][W][U], U channels a unit (element_type.h); channels that fill up
// the last unit hold zeros. Raw values (residual and raw store): the same order with U of the
// element type, in fp32 or in the element type. Nothing here throws, prints or allocates device
// memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "causeway/kernels/architecture.h"
#include "causeway/kernels/conv3d_epilogue.h"
#include "causeway/kernels/element_type.h"
#include "causeway/kernels/frame_list.h"
#include "causeway/kernels/tile_config.h"

namespace causeway::kernels {

struct Conv3dProblem {
  ElementType element = ElementType::kFp16;
  int in_channels = 0;
  int out_channels = 0;
  int frames = 0;  // output frames of one launch, of all sessions and latents together
  int height = 0;
  int width = 0;
  Conv3dEpilogue epilogue;
};

/// Why something is refused: the field or limit, and what it would have to be.
struct Rejection {
  std::string what;
  std::string reason;
};

/// Nothing where the problem can be computed.
std::optional<Rejection> Check(const Conv3dProblem& problem);

/// "fp16 96->96 4 frames 704x1280 residual=fp32 raw=fp32 norm=rms_silu".
std::string ToString(const Conv3dProblem& problem);

std::string ToString(const TileConfig& config);

/// Every compiled form.
std::span<const TileConfig> TileConfigs();

/// The choice for a problem, and why each other form was not taken.
struct TileChoice {
  std::optional<TileConfig> config;
  std::vector<Rejection> rejections;  // of forms, in the order of TileConfigs()
};

/// Pure: depends on the channels, the element type and the architecture only, never on the number
/// of frames or the size of the picture, so that the bits of a frame do not depend on its company.
TileChoice ChooseTile(const Conv3dProblem& problem, const Architecture& architecture);

/// Bytes of packed weights.
std::int64_t PackedWeightBytes(const Conv3dProblem& problem, const TileConfig& config);

/// Packs `weights`, [out, in, 3, 3, 3] row-major fp32, time tap 2 the newest, as the kernel copies
/// it to shared memory: [time tap][chunk][3 x 3 space taps][unit of the chunk][channels()][U],
/// rounded to the element type (to nearest even; tf32: to nearest, ties away as cvt.rna), zeros
/// where channels are padded. `packed` has PackedWeightBytes().
void PackWeights(const Conv3dProblem& problem, const TileConfig& config,
                 std::span<const float> weights, std::span<std::byte> packed);

/// Device pointers of one launch. All 16-byte aligned.
struct Conv3dArguments {
  const void* input = nullptr;          // pages of [in / U][H][W][U] elements
  const void* weights = nullptr;        // packed
  const float* bias = nullptr;          // [channels()], zeros where padded
  const float* scaled_gamma = nullptr;  // [channels()], gamma * sqrt(out_channels); with a norm
  const void* residual = nullptr;       // pages of [out / U][H][W][U]; with a residual
  void* raw = nullptr;                  // likewise; with a raw store
  void* output = nullptr;               // pages of [out / U][H][W][U] elements; with a norm
  const FrameEntry* frames = nullptr;   // [problem.frames], in device memory
};

}  // namespace causeway::kernels
