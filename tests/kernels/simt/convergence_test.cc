// SPDX-License-Identifier: Apache-2.0
// Barriers, shuffles and votes.
#include "kernels/simt/convergence.h"

#include "tests/kernels/simt/simt_test_support.h"

namespace causeway::kernels::simt {
namespace {

TEST(Shuffle, XorAndIndexReadTheNamedLane) {
  TestBuffer<int> out(64, -1);
  ExpectRuns(
      {},
      [&] {
        const int lane = LaneIndex();
        StoreGlobal(out.data() + lane, ShuffleXor(lane * 10, 5));
        const float value = ShuffleIndex(static_cast<float>(lane) + 0.5f, (lane + 1) % 32);
        StoreGlobal(out.data() + 32 + lane, static_cast<int>(value * 2.0f));
      },
      [&] {
        for (int lane = 0; lane < 32; ++lane) {
          EXPECT_EQ(out[static_cast<size_t>(lane)], (lane ^ 5) * 10);
          EXPECT_EQ(out[static_cast<size_t>(32 + lane)], (lane + 1) % 32 * 2 + 1);
        }
      });
}

TEST(Shuffle, SumsAQuadInTwoSteps) {
  TestBuffer<float> out(32, 0.0f);
  ExpectRuns(
      {},
      [&] {
        float sum = static_cast<float>(LaneIndex());
        sum += ShuffleXor(sum, 1);
        sum += ShuffleXor(sum, 2);
        StoreGlobal(out.data() + LaneIndex(), sum);
      },
      [&] {
        for (int lane = 0; lane < 32; ++lane) {
          const int first = lane / 4 * 4;
          EXPECT_EQ(out[static_cast<size_t>(lane)], static_cast<float>(4 * first + 6));
        }
      });
}

TEST(Vote, BallotHasOneBitALane) {
  TestBuffer<uint32_t> out(32, 0);
  ExpectRuns(
      {},
      [&] {
        const uint32_t votes = Ballot(LaneIndex() % 3 == 0);
        const bool any = AnySync(LaneIndex() == 7);
        const bool none = AnySync(false);
        StoreGlobal(out.data() + LaneIndex(), any && !none ? votes : 0u);
      },
      [&] {
        for (size_t lane = 0; lane < 32; ++lane) EXPECT_EQ(out[lane], 0x49249249u);
      });
}

TEST(SyncThreads, OrdersSharedMemoryOfTheWholeBlock) {
  TestBuffer<int> out(128, -1);
  ExpectRuns(
      {.grid_blocks = 2, .block_threads = 64, .dynamic_shared_bytes = 256},
      [&] {
        StoreShared(SharedStart() + static_cast<uint32_t>(4 * ThreadIndex()),
                    BlockIndex() * 1000 + ThreadIndex());
        SyncThreads();
        const int other =
            LoadShared<int>(SharedStart() + static_cast<uint32_t>(4 * (63 - ThreadIndex())));
        StoreGlobal(out.data() + BlockIndex() * 64 + ThreadIndex(), other);
      },
      [&] {
        for (int i = 0; i < 128; ++i) {
          EXPECT_EQ(out[static_cast<size_t>(i)], i / 64 * 1000 + 63 - i % 64);
        }
      });
}

TEST(SyncThreads, DoesNotCountWarpsThatHaveReturned) {
  ExpectRuns({.block_threads = 96}, [] {
    if (ThreadIndex() / 32 == 1) return;
    SyncThreads();
    SyncThreads();
  });
}

TEST(NamedBarrier, OrdersThoseThatShareIt) {
  TestBuffer<int> out(128, -1);
  ExpectRuns(
      {.block_threads = 128, .dynamic_shared_bytes = 512},
      [&] {
        const int pair = ThreadIndex() / 64;
        const uint32_t mine = SharedStart() + static_cast<uint32_t>(4 * ThreadIndex());
        const uint32_t other = SharedStart() + static_cast<uint32_t>(4 * (ThreadIndex() ^ 32));
        for (int round = 0; round < 3; ++round) {
          StoreShared(mine, round * 100 + ThreadIndex());
          NamedBarrierSync(1 + pair, 64);
          StoreGlobal(out.data() + ThreadIndex(), LoadShared<int>(other));
          NamedBarrierSync(1 + pair, 64);
        }
      },
      [&] {
        for (int i = 0; i < 128; ++i) EXPECT_EQ(out[static_cast<size_t>(i)], 200 + (i ^ 32));
      });
}

TEST(NamedBarrier, ArriveDoesNotWait) {
  TestBuffer<int> out(32, -1);
  ExpectRuns(
      {.block_threads = 64, .dynamic_shared_bytes = 128},
      [&] {
        const uint32_t mine = SharedStart() + static_cast<uint32_t>(4 * LaneIndex());
        if (ThreadIndex() < 32) {
          StoreShared(mine, LaneIndex() * 2);
          NamedBarrierArrive(3, 64);
        } else {
          NamedBarrierSync(3, 64);
          StoreGlobal(out.data() + LaneIndex(), LoadShared<int>(mine));
        }
      },
      [&] {
        for (int i = 0; i < 32; ++i) EXPECT_EQ(out[static_cast<size_t>(i)], i * 2);
      });
}

TEST(NamedBarrier, RefusesACountThatIsNoMultipleOf32) {
  ExpectFails({.block_threads = 64}, FailureKind::kInvalidOperand, "multiple of 32",
              [] { NamedBarrierSync(1, 48); });
}

TEST(NamedBarrier, RefusesBarrierZeroAndSixteen) {
  ExpectFails({}, FailureKind::kInvalidOperand, "1 to 15", [] { NamedBarrierSync(16, 32); });
}

TEST(SetMaxRegisters, TakesMultiplesOf8From24To256) {
  ExpectRuns({.block_threads = 128}, [] {
    RegistersDecrease<24>();
    RegistersIncrease<240>();
  });
  ExpectFails({.block_threads = 128}, FailureKind::kInvalidOperand, "multiples of 8",
              [] { RegistersIncrease<100>(); });
}

}  // namespace
}  // namespace causeway::kernels::simt
