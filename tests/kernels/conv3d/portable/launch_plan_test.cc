// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv3d/portable/launch_plan.h"

#include <gtest/gtest.h>

namespace causeway::kernels::portable {
namespace {

constexpr TileConfig kTile{8, 16, 4, 2, 2, 12, 4, 4};

TEST(LaunchPlan, HasOneBlockForEveryTileThatHoldsAPixelOfAFrame) {
  struct Extents {
    int height;
    int width;
    int tiles_y;
    int tiles_x;
  };
  for (const Extents& extents : {Extents{1, 1, 1, 1}, Extents{8, 16, 1, 1}, Extents{9, 17, 2, 2},
                                 Extents{8, 48, 1, 3}, Extents{25, 15, 4, 1}}) {
    const Conv3dProblem problem{ElementType::kFp16,
                                40,
                                192,
                                5,
                                extents.height,
                                extents.width,
                                {RawType::kNone, RawType::kFp32}};
    const LaunchPlan plan = MakeLaunchPlan(problem, kTile, {});
    EXPECT_EQ(plan.params.tiles_y, extents.tiles_y);
    EXPECT_EQ(plan.params.tiles_x, extents.tiles_x);
    EXPECT_EQ(plan.grid_blocks, 5 * extents.tiles_y * extents.tiles_x);
  }
}

TEST(LaunchPlan, CountsChannelsInUnitsAndChunksOfTheElementType) {
  const Conv3dProblem fp16{ElementType::kFp16, 40, 192, 1, 8, 8, {RawType::kNone, RawType::kFp32}};
  EXPECT_EQ(MakeLaunchPlan(fp16, kTile, {}).params.in_units, 5);
  EXPECT_EQ(MakeLaunchPlan(fp16, kTile, {}).params.out_units, 24);
  EXPECT_EQ(MakeLaunchPlan(fp16, kTile, {}).params.chunks, 2);
  const Conv3dProblem tf32{ElementType::kTf32, 32, 20, 1, 8, 8, {RawType::kNone, RawType::kFp32}};
  EXPECT_EQ(MakeLaunchPlan(tf32, kTile, {}).params.in_units, 8);
  EXPECT_EQ(MakeLaunchPlan(tf32, kTile, {}).params.out_units, 5);
  EXPECT_EQ(MakeLaunchPlan(tf32, kTile, {}).params.chunks, 2);
}

TEST(LaunchPlan, TakesThreadsAndSharedMemoryFromTheTile) {
  const Conv3dProblem problem{ElementType::kBf16, 8, 8, 1, 8, 8, {RawType::kNone, RawType::kFp32}};
  const LaunchPlan plan = MakeLaunchPlan(problem, kTile, {});
  EXPECT_EQ(plan.block_threads, 256);
  // Two patches of 10 x 18 pixels and 4 units; four slices of 4 units and 192 channels.
  EXPECT_EQ(plan.shared_bytes, 16 * (2 * 10 * 18 * 4 + 4 * 4 * 192));
}

}  // namespace
}  // namespace causeway::kernels::portable
