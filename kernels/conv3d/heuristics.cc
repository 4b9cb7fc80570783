// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "causeway/kernels/conv3d.h"
#include "kernels/conv3d/tile_table.h"

namespace causeway::kernels {
namespace {

#define CAUSEWAY_TILE_ROW(...) TileConfig{__VA_ARGS__},
constexpr TileConfig kTiles[] = {CAUSEWAY_CONV3D_TILES(CAUSEWAY_TILE_ROW)};
#undef CAUSEWAY_TILE_ROW

int RoundUp(int value, int multiple) { return (value + multiple - 1) / multiple * multiple; }

/// Why a form cannot compute the problem on that architecture.
std::optional<Rejection> Unfit(const TileConfig& config, const Conv3dProblem& problem,
                               const Architecture& architecture) {
  if (config.channels() < problem.out_channels) {
    // A pixel's norm needs all its channels in one block.
    return Rejection{ToString(config), "has " + std::to_string(config.channels()) +
                                           " channels, the problem " +
                                           std::to_string(problem.out_channels)};
  }
  if (config.shared_bytes() > architecture.shared_bytes_per_block) {
    return Rejection{ToString(config), "needs more than the " +
                                           std::to_string(architecture.shared_bytes_per_block) +
                                           " B shared of " + std::string(architecture.name)};
  }
  return std::nullopt;
}

/// Multiply-adds a pixel including padded channels: what the tensor cores do.
std::int64_t PaddedWork(const TileConfig& config, const Conv3dProblem& problem) {
  const int chunk_channels = config.chunk_units * UnitChannels(problem.element);
  return std::int64_t{RoundUp(problem.in_channels, chunk_channels)} * config.channels();
}

/// Barriers a tile passes: one a weight slice.
std::int64_t Barriers(const TileConfig& config, const Conv3dProblem& problem) {
  const int chunk_channels = config.chunk_units * UnitChannels(problem.element);
  return RoundUp(problem.in_channels, chunk_channels) / chunk_channels;
}

/// Less padded work first, then fewer barriers, then more weights in flight.
bool IsBetter(const TileConfig& a, const TileConfig& b, const Conv3dProblem& problem) {
  if (PaddedWork(a, problem) != PaddedWork(b, problem)) {
    return PaddedWork(a, problem) < PaddedWork(b, problem);
  }
  if (Barriers(a, problem) != Barriers(b, problem)) {
    return Barriers(a, problem) < Barriers(b, problem);
  }
  return a.weight_stages > b.weight_stages;
}

}  // namespace

std::span<const TileConfig> TileConfigs() { return kTiles; }

TileChoice ChooseTile(const Conv3dProblem& problem, const Architecture& architecture) {
  TileChoice choice;
  if (const auto rejection = Check(problem)) {
    choice.rejections.push_back(*rejection);
    return choice;
  }
  for (const TileConfig& config : kTiles) {
    if (const auto rejection = Unfit(config, problem, architecture)) {
      choice.rejections.push_back(*rejection);
    } else if (!choice.config || IsBetter(config, *choice.config, problem)) {
      choice.config = config;
    }
  }
  for (const TileConfig& config : kTiles) {
    if (!choice.config || config == *choice.config || Unfit(config, problem, architecture)) {
      continue;
    }
    const bool is_wasteful = PaddedWork(config, problem) > PaddedWork(*choice.config, problem);
    choice.rejections.push_back(
        {ToString(config), is_wasteful ? "pads more channels than the choice"
                                       : "waits at more barriers or holds fewer weights"});
  }
  return choice;
}

}  // namespace causeway::kernels
