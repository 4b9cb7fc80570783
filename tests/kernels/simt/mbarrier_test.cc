// SPDX-License-Identifier: Apache-2.0
// Phases and transaction counts, as the PTX ISA's section on mbarrier states them.
#include "kernels/simt/mbarrier.h"

#include "tests/kernels/simt/simt_test_support.h"

namespace causeway::kernels::simt {
namespace {

void InitFirst(int arrivals) {
  if (ThreadIndex() == 0) {
    MbarrierInit(SharedStart(), arrivals);
    FenceMbarrierInit();
  }
  SyncThreads();
}

TEST(Mbarrier, StartsInPhaseZeroSoThatParityOneHasPassed) {
  ExpectRuns({.dynamic_shared_bytes = 64}, [] {
    InitFirst(1);
    MbarrierWait(SharedStart(), 1);
  });
}

TEST(Mbarrier, IsInThePhaseUntilAllArrivalsAreThere) {
  TestBuffer<int> out(4, -1);
  ExpectRuns(
      {.dynamic_shared_bytes = 64},
      [&] {
        if (ThreadIndex() != 0) return;
        const uint32_t barrier = SharedStart();
        MbarrierInit(barrier, 2);
        MbarrierArrive(barrier);
        const auto passed = [&](uint32_t parity) {
          // Parity of the phase before the current one: complete at once. The current one would
          // wait for ever here, so that only the other can be asked for.
          MbarrierWait(barrier, parity);
          return 1;
        };
        StoreGlobal(out.data(), passed(1));  // still in phase 0
        MbarrierArrive(barrier);
        StoreGlobal(out.data() + 1, passed(0));  // phase 0 is complete, phase 1 has begun
        MbarrierArrive(barrier);
        MbarrierArrive(barrier);
        StoreGlobal(out.data() + 2, passed(1));  // phase 1 as well: the count is as at first
        MbarrierInvalidate(barrier);
        StoreShared(barrier, 7);  // plain memory again
        StoreGlobal(out.data() + 3, LoadShared<int>(barrier));
      },
      [&] {
        EXPECT_EQ(out[0], 1);
        EXPECT_EQ(out[1], 1);
        EXPECT_EQ(out[2], 1);
        EXPECT_EQ(out[3], 7);
      });
}

TEST(Mbarrier, HandsSharedMemoryFromArrivalsToWaiters) {
  TestBuffer<int> out(32 * 4, -1);
  ExpectRuns(
      {.block_threads = 64, .dynamic_shared_bytes = 1024},
      [&] {
        const uint32_t full = SharedStart();
        const uint32_t empty = full + 8;
        if (ThreadIndex() == 0) {
          MbarrierInit(full, 32);
          MbarrierInit(empty, 32);
          FenceMbarrierInit();
        }
        SyncThreads();
        const uint32_t slot = SharedStart() + 64 + static_cast<uint32_t>(4 * LaneIndex());
        for (int round = 0; round < 4; ++round) {
          const uint32_t parity = static_cast<uint32_t>(round) & 1u;
          if (ThreadIndex() < 32) {
            MbarrierWait(empty, parity ^ 1u);
            StoreShared(slot, round * 100 + LaneIndex());
            MbarrierArrive(full);
          } else {
            MbarrierWait(full, parity);
            const uint32_t other =
                SharedStart() + 64 + static_cast<uint32_t>(4 * (31 - LaneIndex()));
            StoreGlobal(out.data() + round * 32 + LaneIndex(), LoadShared<int>(other));
            MbarrierArrive(empty);
          }
        }
      },
      [&] {
        for (int i = 0; i < 128; ++i) {
          EXPECT_EQ(out[static_cast<size_t>(i)], i / 32 * 100 + 31 - i % 32);
        }
      });
}

TEST(Mbarrier, PhaseNeedsArrivalsAndBytes) {
  TestBuffer<std::byte> source(64, std::byte{5}, "source", Access::kRead);
  TestBuffer<int> out(1, 0);
  ExpectRuns(
      {.dynamic_shared_bytes = 1024},
      [&] {
        const uint32_t barrier = SharedStart();
        const uint32_t data = SharedStart() + 128;
        InitFirst(1);
        if (ThreadIndex() == 0) {
          // Bytes may come before they are expected: the pending arrival keeps the phase open.
          BulkCopy(data, source.data(), 32, barrier);
          MbarrierExpectTx(barrier, 32);
          BulkCopy(data + 32, source.data() + 32, 32, barrier);
          MbarrierArriveExpectTx(barrier, 32);
        }
        MbarrierWait(barrier, 0);
        if (ThreadIndex() == 0) StoreGlobal(out.data(), LoadShared<int>(data + 60));
      },
      [&] { EXPECT_EQ(out[0], 0x05050505); });
}

TEST(Mbarrier, RefusesCountsOutOfRange) {
  ExpectFails({.dynamic_shared_bytes = 64}, FailureKind::kInvalidOperand, "arrivals", [] {
    if (ThreadIndex() == 0) MbarrierInit(SharedStart(), 0);
  });
  ExpectFails({.dynamic_shared_bytes = 64}, FailureKind::kInvalidOperand, "arrivals", [] {
    if (ThreadIndex() == 0) MbarrierInit(SharedStart(), 1 << 20);
  });
}

TEST(Mbarrier, NeedsAMultipleOf8) {
  ExpectFails({.dynamic_shared_bytes = 64}, FailureKind::kMisaligned, "multiple of 8", [] {
    if (ThreadIndex() == 0) MbarrierInit(SharedStart() + 4, 1);
  });
}

TEST(Mbarrier, IsNotPlainMemory) {
  ExpectFails({.dynamic_shared_bytes = 64}, FailureKind::kInvalidOperand, "touches the mbarrier",
              [] {
                if (ThreadIndex() != 0) return;
                MbarrierInit(SharedStart(), 1);
                StoreShared(SharedStart() + 4, 1);
              });
}

}  // namespace
}  // namespace causeway::kernels::simt
