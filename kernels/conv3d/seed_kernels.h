// SPDX-License-Identifier: Apache-2.0
// The library kernels of the seed profile, by their names: what the cost model has to reproduce
// before anything that it says of our kernels is believed.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "kernels/conv3d/cost_model.h"

namespace causeway::kernels {

struct SeedKernel {
  int seed_row;  // as Signature's
  std::string_view name;
};

/// The kernel of every row that did the convolution itself.
std::span<const SeedKernel> SeedKernels();

/// The form that a cuDNN implicit-GEMM name tells: "..._tilesize256x32x32_..." is pixels x channels
/// x input channels; sm90 kernels multiply 64 pixels x the tile's channels at once, those of sm80
/// the tile's share of a warp ("warpsize2x2x1"). Nothing for a name of another kind. That a tile's
/// stores are hidden is assumed: one warpgroup leaves room for a second block.
std::optional<KernelForm> ParseKernelName(std::string_view name);

}  // namespace causeway::kernels
