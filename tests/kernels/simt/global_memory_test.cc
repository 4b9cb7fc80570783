// SPDX-License-Identifier: Apache-2.0
#include "kernels/simt/global_memory.h"

#include <memory>

#include <gtest/gtest.h>

namespace causeway::kernels::simt {
namespace {

TEST(GlobalBuffer, AllowsAccessesInsideWhileItLives) {
  char memory[80] = {};
  char* start = memory + 8;
  auto buffer = std::make_unique<GlobalBuffer>(start, 64, "pixels", Access::kReadWrite);
  EXPECT_TRUE(IsGlobalAccessAllowed(start, 64, true));
  EXPECT_TRUE(IsGlobalAccessAllowed(start + 48, 16, false));
  EXPECT_FALSE(IsGlobalAccessAllowed(start + 49, 16, false));
  EXPECT_FALSE(IsGlobalAccessAllowed(start - 1, 2, false));
  buffer.reset();
  EXPECT_FALSE(IsGlobalAccessAllowed(start, 1, false));
}

TEST(GlobalBuffer, NeighboursAreNotOneBuffer) {
  char memory[64] = {};
  const GlobalBuffer left(memory, 32, "left", Access::kReadWrite);
  const GlobalBuffer right(memory + 32, 32, "right", Access::kRead);
  EXPECT_FALSE(IsGlobalAccessAllowed(memory + 24, 16, false));
  EXPECT_FALSE(IsGlobalAccessAllowed(memory + 32, 4, true));
  EXPECT_TRUE(IsGlobalAccessAllowed(memory + 32, 4, false));
}

TEST(GlobalBuffer, NamesTheNearestBufferAndTheOffset) {
  char memory[96] = {};
  EXPECT_EQ(DescribeForbiddenAccess(memory, 4, false),
            "reads 4 bytes of global memory while no buffer is registered");
  const GlobalBuffer left(memory, 32, "left", Access::kRead);
  const GlobalBuffer right(memory + 64, 32, "right", Access::kReadWrite);
  EXPECT_EQ(DescribeForbiddenAccess(memory + 36, 4, true),
            "writes 4 bytes of global memory at byte 36 of 'left', which has 32");
  EXPECT_EQ(DescribeForbiddenAccess(memory + 56, 8, false),
            "reads 8 bytes of global memory at byte -8 of 'right', which has 32");
  EXPECT_EQ(DescribeForbiddenAccess(memory, 4, true),
            "writes 4 bytes of global memory in 'left', which is read-only");
}

}  // namespace
}  // namespace causeway::kernels::simt
