// SPDX-License-Identifier: Apache-2.0
#include "kernels/simt/launch.h"

#include <memory>
#include <set>
#include <stdexcept>

#include "tests/kernels/simt/simt_test_support.h"

namespace causeway::kernels::simt {
namespace {

TEST(Launch, RunsEveryThreadOfEveryBlockOnce) {
  TestBuffer<int> out(5 * 96, 0);
  ExpectRuns(
      {.grid_blocks = 5, .block_threads = 96},
      [&] {
        const int at = BlockIndex() * BlockThreads() + ThreadIndex();
        AtomicAddGlobal(out.data() + at, GridBlocks() * 1000 + LaneIndex());
      },
      [&] {
        for (int i = 0; i < 480; ++i) {
          EXPECT_EQ(std::exchange(out[static_cast<size_t>(i)], 0), 5000 + i % 32);
        }
      });
}

std::vector<int> OrderOfWarps(uint64_t seed) {
  std::vector<int> order;
  Launch({.grid_blocks = 2, .block_threads = 256, .seed = seed}, [&] {
    if (LaneIndex() == 0) order.push_back(BlockIndex() * 8 + ThreadIndex() / 32);
    SyncThreads();
  });
  return order;
}

TEST(Launch, OrdersWarpsBySeedAndRepeatsItself) {
  EXPECT_EQ(OrderOfWarps(5), OrderOfWarps(5));
  std::set<std::vector<int>> orders;
  for (uint64_t seed = 1; seed <= 8; ++seed) orders.insert(OrderOfWarps(seed));
  EXPECT_EQ(orders.size(), 8u);
}

TEST(Launch, PoisonsSharedMemoryOfEveryBlock) {
  // The second block finds nothing of the first.
  const LaunchReport report = Launch({.grid_blocks = 2, .dynamic_shared_bytes = 128}, [] {
    static thread_local bool second = false;
    const uint32_t mine = SharedStart() + static_cast<uint32_t>(4 * LaneIndex());
    if (LaneIndex() == 0) {
      if (second) LoadShared<int>(mine);
      StoreShared(mine, 1);
      second = !second;
    }
  });
  ASSERT_FALSE(report.Ok());
  EXPECT_EQ(report.failure->kind, FailureKind::kPoisonRead);
}

TEST(Launch, RefusesOptionsOutOfRange) {
  const auto refuses = [](const LaunchOptions& options, const char* field) {
    try {
      Launch(options, [] {});
      FAIL() << field;
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find(field), std::string::npos) << error.what();
    }
  };
  refuses({.block_threads = 48}, "block_threads is 48");
  refuses({.block_threads = 2048}, "block_threads is 2048");
  refuses({.grid_blocks = 3, .cluster_blocks = 2}, "grid_blocks is 3");
  refuses({.grid_blocks = 32, .cluster_blocks = 32}, "cluster_blocks is 32");
  refuses({.dynamic_shared_bytes = 228 * 1024}, "dynamic_shared_bytes");
}

TEST(Launch, UnwindsEveryThreadAfterAFailure) {
  const auto token = std::make_shared<int>(0);
  const LaunchReport report = Launch({.block_threads = 128}, [&] {
    const std::shared_ptr<int> held = token;
    if (ThreadIndex() == 77) LoadGlobal4(nullptr);
    SyncThreads();
  });
  EXPECT_FALSE(report.Ok());
  EXPECT_EQ(report.failure->thread, 77);
  EXPECT_EQ(token.use_count(), 1);
}

TEST(Launch, PassesOnWhatTheBodyThrows) {
  EXPECT_THROW(Launch({.block_threads = 64},
                      [] {
                        if (ThreadIndex() == 40) throw std::length_error("from the body");
                        SyncThreads();
                      }),
               std::length_error);
  EXPECT_TRUE(Launch({}, [] {}).Ok());  // and leaves nothing behind
}

TEST(Launch, RefusesALaunchInsideALaunch) {
  EXPECT_THROW(Launch({}, [] { Launch({}, [] {}); }), std::invalid_argument);
}

TEST(LaunchOrThrow, ThrowsTheFailure) {
  try {
    LaunchOrThrow({}, [] { LoadGlobal4(nullptr); });
    FAIL();
  } catch (const SimtError& error) {
    EXPECT_EQ(error.failure().kind, FailureKind::kOutOfRange);
    EXPECT_NE(std::string(error.what()).find("OutOfRange: block 0, thread"), std::string::npos);
  }
}

}  // namespace
}  // namespace causeway::kernels::simt
