// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include <gtest/gtest.h>

#include "causeway/kernels/conv3d.h"
#include "kernels/common/round_element.h"

namespace causeway::kernels {
namespace {

TEST(PackWeights, PutsEveryWeightWhereTheKernelReadsItAndZerosElsewhere) {
  for (const ElementType element : {ElementType::kFp16, ElementType::kBf16, ElementType::kTf32}) {
    const int unit = UnitChannels(element);
    const Conv3dProblem problem{element, 5 * unit, 24, 1, 8, 8, {RawType::kNone, RawType::kFp32}};
    const TileConfig tile = *ChooseTile(problem, *FindArchitecture("sm_86")).config;
    // Distinct values that every element type holds exactly: powers of two times small integers
    // would run out, so one tensor of each weight's time tap, space tap, and so on.
    const auto code = [](int n, int c, int tap) {
      return static_cast<float>((n * 7 + c * 3 + tap * 5) % 127 + 1);
    };
    std::vector<float> weights;
    for (int n = 0; n < problem.out_channels; ++n) {
      for (int c = 0; c < problem.in_channels; ++c) {
        for (int tap = 0; tap < 27; ++tap) weights.push_back(code(n, c, tap));
      }
    }
    std::vector<std::byte> packed(static_cast<std::size_t>(PackedWeightBytes(problem, tile)),
                                  std::byte{0xff});
    PackWeights(problem, tile, weights, packed);

    const int chunks = (5 + tile.chunk_units - 1) / tile.chunk_units;
    std::size_t index = 0;
    const auto bytes = static_cast<std::size_t>(ElementBytes(element));
    for (int time = 0; time < 3; ++time) {
      for (int chunk = 0; chunk < chunks; ++chunk) {
        for (int tap = 0; tap < 9; ++tap) {
          for (int plane = 0; plane < tile.chunk_units; ++plane) {
            for (int n = 0; n < tile.channels(); ++n) {
              for (int lane = 0; lane < unit; ++lane, ++index) {
                const int c = (chunk * tile.chunk_units + plane) * unit + lane;
                const bool is_real = n < problem.out_channels && c < problem.in_channels;
                ASSERT_EQ(LoadElement(element, packed.data() + index * bytes),
                          is_real ? code(n, c, time * 9 + tap) : 0.0F);
              }
            }
          }
        }
      }
    }
    EXPECT_EQ(index * bytes, packed.size());
  }
}

}  // namespace
}  // namespace causeway::kernels
