// SPDX-License-Identifier: Apache-2.0
// Loads, stores, atomics, cp.async and approximations.
#include "kernels/simt/memory_operations.h"

#include <cmath>

#include "tests/kernels/simt/simt_test_support.h"

namespace causeway::kernels::simt {
namespace {

TEST(SharedMemory, MovesEverySize) {
  TestBuffer<uint32_t> out(32, 0);
  ExpectRuns(
      {.dynamic_shared_bytes = 2048},
      [&] {
        const auto lane = static_cast<uint32_t>(LaneIndex());
        const uint32_t mine = SharedStart() + lane * 32;
        StoreShared(mine, Words4{{lane, lane + 1, lane + 2, lane + 3}});
        StoreShared(mine + 16, Words2{{lane + 4, lane + 5}});
        StoreShared(mine + 24, lane + 6);
        StoreShared(mine + 28, static_cast<uint16_t>(lane + 7));
        uint32_t sum = LoadShared<uint32_t>(mine + 8);
        sum += LoadShared<Words2>(mine + 16).word[1];
        sum += LoadShared<Words4>(mine).word[3];
        sum += LoadShared<uint16_t>(mine + 28);
        StoreGlobal(out.data() + lane, sum);
      },
      [&] {
        for (uint32_t lane = 0; lane < 32; ++lane) EXPECT_EQ(out[lane], 4 * lane + 17);
      });
}

TEST(Atomics, AddInAnyOrderWithoutARace) {
  TestBuffer<int> out(2, 0);
  ExpectRuns(
      {.block_threads = 64, .dynamic_shared_bytes = 64},
      [&] {
        if (ThreadIndex() == 0) {
          StoreShared(SharedStart(), 0);
          StoreGlobal(out.data() + 1, 0);
        }
        SyncThreads();
        AtomicAddShared(SharedStart(), ThreadIndex());
        AtomicAddGlobal(out.data() + 1, 2);
        SyncThreads();
        if (ThreadIndex() == 0) StoreGlobal(out.data(), LoadShared<int>(SharedStart()));
      },
      [&] {
        EXPECT_EQ(out[0], 63 * 64 / 2);
        EXPECT_EQ(out[1], 128);
      });
}

// Group g copies source[g] to slot g.
TEST(CopyAsync, WaitsForAllButTheNewestGroups) {
  TestBuffer<uint32_t> source(32 * 4 * 3, 0, "source", Access::kRead);
  for (size_t i = 0; i < source.size(); ++i) source[i] = static_cast<uint32_t>(i);
  TestBuffer<uint32_t> out(32, 0);
  ExpectRuns(
      {.dynamic_shared_bytes = 2048},
      [&] {
        const int lane = LaneIndex();
        for (int group = 0; group < 3; ++group) {
          const int at = group * 128 + lane * 4;
          CopyAsync16(SharedStart() + static_cast<uint32_t>(4 * at), source.data() + at, true);
          CommitCopies();
        }
        WaitCopies<1>();
        // Own copies of groups 0 and 1 are there; no barrier is needed for one's own.
        const uint32_t first =
            LoadShared<uint32_t>(SharedStart() + static_cast<uint32_t>(lane * 16));
        const uint32_t second =
            LoadShared<uint32_t>(SharedStart() + static_cast<uint32_t>(512 + lane * 16));
        StoreGlobal(out.data() + lane, first + second);
        WaitCopies<0>();
      },
      [&] {
        for (uint32_t lane = 0; lane < 32; ++lane) EXPECT_EQ(out[lane], 4 * lane + 128 + 4 * lane);
      });
}

TEST(CopyAsync, FillsWithZerosAndDoesNotReadAnInvalidSource) {
  TestBuffer<uint32_t> out(32, 7);
  ExpectRuns(
      {.dynamic_shared_bytes = 512},
      [&] {
        const uint32_t mine = SharedStart() + static_cast<uint32_t>(16 * LaneIndex());
        CopyAsync16(mine, nullptr, false);
        CommitCopies();
        WaitCopies<0>();
        StoreGlobal(out.data() + LaneIndex(), LoadShared<uint32_t>(mine + 12));
      },
      [&] {
        for (size_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], 0u);
      });
}

TEST(CopyAsync, AGroupThatIsNotCommittedIsNotWaitedFor) {
  TestBuffer<uint32_t> source(128, 1, "source", Access::kRead);
  ExpectFails({.dynamic_shared_bytes = 512}, FailureKind::kUnfinishedCopy, "without waiting", [&] {
    const uint32_t mine = SharedStart() + static_cast<uint32_t>(16 * LaneIndex());
    CopyAsync16(mine, source.data() + 4 * LaneIndex(), true);
    WaitCopies<0>();
    LoadShared<uint32_t>(mine);
  });
}

TEST(CopyAsync, AnothersCopyNeedsABarrierBesideTheWait) {
  TestBuffer<uint32_t> source(128, 1, "source", Access::kRead);
  ExpectFails({.dynamic_shared_bytes = 512}, FailureKind::kRace, "with nothing between", [&] {
    const uint32_t mine = SharedStart() + static_cast<uint32_t>(16 * LaneIndex());
    const uint32_t other = SharedStart() + static_cast<uint32_t>(16 * (LaneIndex() ^ 1));
    CopyAsync16(mine, source.data() + 4 * LaneIndex(), true);
    CommitCopies();
    WaitCopies<0>();
    ShuffleXor(0, 1);  // brings the lanes together but orders no memory
    LoadShared<uint32_t>(other);
  });
}

TEST(CopyAsync, TheBarrierBeforeTheWaitDoesNotHelp) {
  TestBuffer<uint32_t> source(256, 1, "source", Access::kRead);
  ExpectFails({.block_threads = 64, .dynamic_shared_bytes = 1024}, FailureKind::kUnfinishedCopy,
              "without waiting", [&] {
                const uint32_t mine = SharedStart() + static_cast<uint32_t>(16 * ThreadIndex());
                const uint32_t other =
                    SharedStart() + static_cast<uint32_t>(16 * (ThreadIndex() ^ 32));
                CopyAsync16(mine, source.data() + 4 * ThreadIndex(), true);
                CommitCopies();
                SyncThreads();
                LoadShared<uint32_t>(other);
                SyncThreads();
                WaitCopies<0>();
              });
}

TEST(Approximations, AreOffByTheDocumentedErrorUpOrDown) {
  TestBuffer<float> out(8, 0.0f);
  const float x = 0.7f;
  bool above[4] = {};
  bool below[4] = {};
  for (uint64_t seed = 0; seed < 16; ++seed) {
    const LaunchReport report = Launch({.approximation_seed = seed}, [&] {
      if (ThreadIndex() != 0) return;
      StoreGlobal(out.data(), ApproxExp2(x));
      StoreGlobal(out.data() + 1, ApproxReciprocal(x));
      StoreGlobal(out.data() + 2, ApproxRsqrt(x));
      StoreGlobal(out.data() + 3, ApproxTanh(x));
    });
    ASSERT_TRUE(report.Ok());
    const double exact[4] = {std::exp2(0.7f), 1.0 / 0.7f,
                             1.0 / std::sqrt(static_cast<double>(0.7f)),
                             std::tanh(static_cast<double>(0.7f))};
    // 2 and 1 units in the last place (2^-23 in [1, 2)) and half a unit of rounding; 2^-22.4 and
    // rounding; 2^-11 and rounding.
    const double bound[4] = {2.5 * 0x1p-23, 1.5 * 0x1p-23, 1.8e-7 * exact[2] + 0.5 * 0x1p-23,
                             0x1p-11 * exact[3] + 0x1p-24};
    const double least[4] = {1.4 * 0x1p-23, 0.4 * 0x1p-23, 0x1p-24, 0x1p-12 * exact[3]};
    for (size_t i = 0; i < 4; ++i) {
      const double error = static_cast<double>(out[i]) - exact[i];
      EXPECT_LE(std::fabs(error), bound[i]) << i;
      EXPECT_GE(std::fabs(error), least[i]) << i;
      (error > 0 ? above : below)[i] = true;
    }
  }
  for (size_t i = 0; i < 4; ++i) EXPECT_TRUE(above[i] && below[i]) << i;
}

TEST(Approximations, FlushSubnormalsAndKeepInfinities) {
  EXPECT_EQ(ApproxExp2(-140.0f), 0.0f);
  EXPECT_EQ(ApproxExp2(INFINITY), INFINITY);
  EXPECT_EQ(ApproxReciprocal(1e-40f), INFINITY);
  EXPECT_EQ(ApproxReciprocal(3e38f), 0.0f);
  EXPECT_EQ(ApproxRsqrt(0.0f), INFINITY);
  EXPECT_LE(ApproxTanh(100.0f), 1.0f);
}

TEST(GlobalMemory, WholeAccessesOnly) {
  TestBuffer<uint32_t> buffer(8, 1, "buffer", Access::kReadWrite);
  ExpectFails({}, FailureKind::kMisaligned, "no multiple",
              [&] { LoadGlobal8(reinterpret_cast<const std::byte*>(buffer.data()) + 4); });
  ExpectFails({}, FailureKind::kOutOfRange, "at byte 32 of 'buffer', which has 32",
              [&] { LoadGlobal4(buffer.data() + 8); });
  const TestBuffer<uint32_t> constant(8, 1, "weights", Access::kRead);
  ExpectFails({}, FailureKind::kOutOfRange, "'weights', which is read-only",
              [&] { StoreGlobal4(constant.data(), 2); });
}

}  // namespace
}  // namespace causeway::kernels::simt
