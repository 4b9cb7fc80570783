// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cstring>

#include "causeway/kernels/conv3d.h"
#include "kernels/common/round_element.h"

namespace causeway::kernels {
namespace {

constexpr int kTimeTaps = 3;
constexpr int kSpaceTaps = 9;

int Chunks(const Conv3dProblem& problem, const TileConfig& config) {
  const int chunk_channels = config.chunk_units * UnitChannels(problem.element);
  return (problem.in_channels + chunk_channels - 1) / chunk_channels;
}

}  // namespace

std::int64_t PackedWeightBytes(const Conv3dProblem& problem, const TileConfig& config) {
  return kTimeTaps * kSpaceTaps * Chunks(problem, config) * config.weight_slice_bytes();
}

void PackWeights(const Conv3dProblem& problem, const TileConfig& config,
                 std::span<const float> weights, std::span<std::byte> packed) {
  const int unit = UnitChannels(problem.element);
  const int element_bytes = ElementBytes(problem.element);
  const int taps = kTimeTaps * kSpaceTaps;
  std::byte* out = packed.data();
  for (int time = 0; time < kTimeTaps; ++time) {
    for (int chunk = 0; chunk < Chunks(problem, config); ++chunk) {
      for (int tap = 0; tap < kSpaceTaps; ++tap) {
        for (int plane = 0; plane < config.chunk_units; ++plane) {
          for (int n = 0; n < config.channels(); ++n) {
            for (int lane = 0; lane < unit; ++lane, out += element_bytes) {
              const int c = (chunk * config.chunk_units + plane) * unit + lane;
              float value = 0.0F;
              if (n < problem.out_channels && c < problem.in_channels) {
                const std::int64_t row = std::int64_t{n} * problem.in_channels + c;
                value = weights[static_cast<std::size_t>(row * taps + time * kSpaceTaps + tap)];
              }
              StoreRounded(problem.element, value, out);
            }
          }
        }
      }
    }
  }
}

}  // namespace causeway::kernels
