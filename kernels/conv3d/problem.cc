// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "causeway/kernels/conv3d.h"

namespace causeway::kernels {
namespace {

constexpr std::int64_t kMaxBlocks = 0x7fffffff;  // of one axis of a grid
constexpr int kMaxExtent = 1 << 20;
constexpr int kMaxChannels = 1 << 14;

std::optional<Rejection> CheckRange(const char* what, int value, int most) {
  if (value >= 1 && value <= most) return std::nullopt;
  return Rejection{what, std::to_string(value) + " is not in 1.." + std::to_string(most)};
}

const char* RawTypeName(RawType type) {
  return type == RawType::kNone ? "none" : type == RawType::kFp32 ? "fp32" : "element";
}

const char* NormTypeName(NormType type) {
  return type == NormType::kNone ? "none" : type == NormType::kRms ? "rms" : "rms_silu";
}

}  // namespace

std::optional<Rejection> Check(const Conv3dProblem& problem) {
  for (const auto& rejection : {CheckRange("in_channels", problem.in_channels, kMaxChannels),
                                CheckRange("out_channels", problem.out_channels, kMaxChannels),
                                CheckRange("frames", problem.frames, kMaxExtent),
                                CheckRange("height", problem.height, kMaxExtent),
                                CheckRange("width", problem.width, kMaxExtent)}) {
    if (rejection) return rejection;
  }
  // Every block of 8 x 8 pixels at the least, all in one axis of the grid.
  const std::int64_t blocks =
      std::int64_t{problem.frames} * ((problem.height + 7) / 8) * ((problem.width + 7) / 8);
  if (blocks > kMaxBlocks) {
    return Rejection{"frames", std::to_string(blocks) + " tiles are more than a grid's axis holds"};
  }
  const int unit = UnitChannels(problem.element);
  for (const auto& [what, channels] : {std::pair{"in_channels", problem.in_channels},
                                       std::pair{"out_channels", problem.out_channels}}) {
    if (channels % unit != 0) {
      return Rejection{what, std::to_string(channels) + " is not a multiple of the unit of " +
                                 std::to_string(unit) + " channels"};
    }
  }
  const Conv3dEpilogue& epilogue = problem.epilogue;
  if (problem.element == ElementType::kTf32 &&
      (epilogue.residual == RawType::kElement || epilogue.raw_store == RawType::kElement)) {
    return Rejection{"epilogue", "raw values of tf32 are fp32"};
  }
  if (epilogue.raw_store == RawType::kNone && epilogue.norm == NormType::kNone) {
    return Rejection{"epilogue", "neither a raw store nor a norm: nothing would be written"};
  }
  return std::nullopt;
}

std::string ToString(const Conv3dProblem& problem) {
  std::string text = ElementTypeName(problem.element);
  text += " " + std::to_string(problem.in_channels) + "->" + std::to_string(problem.out_channels);
  text += " " + std::to_string(problem.frames) + " frames " + std::to_string(problem.height) + "x" +
          std::to_string(problem.width);
  text += std::string(" residual=") + RawTypeName(problem.epilogue.residual);
  text += std::string(" raw=") + RawTypeName(problem.epilogue.raw_store);
  text += std::string(" norm=") + NormTypeName(problem.epilogue.norm);
  return text;
}

std::string ToString(const TileConfig& config) {
  return std::to_string(config.tile_height) + "x" + std::to_string(config.tile_width) + "px x " +
         std::to_string(config.channels()) + "ch, " + std::to_string(config.warps_m) + "x" +
         std::to_string(config.warps_n) + " warps of " + std::to_string(16 * config.mma_m) + "x" +
         std::to_string(8 * config.mma_n) + ", chunk " + std::to_string(config.chunk_units) +
         " units, " + std::to_string(config.weight_stages) + " weight stages, " +
         std::to_string(config.shared_bytes()) + " B shared";
}

}  // namespace causeway::kernels
