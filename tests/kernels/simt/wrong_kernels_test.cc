// SPDX-License-Identifier: Apache-2.0
// Small kernels with one mistake each. Every one has to be reported, by name, whatever the seed and
// the moment at which copies land; and the same kernel without the mistake (0) has to run.
#include <algorithm>

#include "tests/kernels/simt/simt_test_support.h"

namespace causeway::kernels::simt {
namespace {

/// Expects a failure of one of `kinds` each time: which one is seen first may depend on the order.
void ExpectReported(LaunchOptions options, const std::vector<FailureKind>& kinds,
                    const std::function<void()>& kernel) {
  for (const AsyncCompletion async : kPolicies) {
    for (uint64_t seed = 1; seed <= 8; ++seed) {
      options.async = async;
      options.seed = seed;
      const LaunchReport report = Launch(options, kernel);
      ASSERT_FALSE(report.Ok()) << "seed " << seed;
      EXPECT_NE(std::find(kinds.begin(), kinds.end(), report.failure->kind), kinds.end())
          << report.Text();
    }
  }
}

constexpr FailureKind kRace = FailureKind::kRace;
constexpr FailureKind kPoisonRead = FailureKind::kPoisonRead;
constexpr FailureKind kUnfinishedCopy = FailureKind::kUnfinishedCopy;

uint32_t Slot(int index) { return SharedStart() + static_cast<uint32_t>(4 * index); }

// Threads exchange values through shared memory, twice through the same place.
void Exchange(int mistake) {
  for (int round = 0; round < 2; ++round) {
    StoreShared(Slot(ThreadIndex()), ThreadIndex());
    if (mistake != 1) SyncThreads();
    LoadShared<int>(Slot(BlockThreads() - 1 - ThreadIndex()));
    if (mistake != 2) SyncThreads();
  }
}

TEST(WrongKernel, ExchangeWithoutABarrier) {
  const LaunchOptions options = {.block_threads = 64, .dynamic_shared_bytes = 256};
  ExpectRuns(options, [] { Exchange(0); });
  ExpectReported(options, {kRace, kPoisonRead}, [] { Exchange(1); });
  ExpectFails(options, kRace, "with nothing between", [] { Exchange(2); });
}

// Copies a tile with cp.async in a ring of two stages; every warp reads what other warps copied.
void CopyRing(const uint32_t* source, int mistake) {
  constexpr int kRounds = 4;
  const auto issue = [&](int round) {
    if (round < kRounds) {
      const uint32_t to = SharedStart() + static_cast<uint32_t>(round % 2 * 1024) +
                          static_cast<uint32_t>(16 * ThreadIndex());
      CopyAsync16(to, source + 4 * ThreadIndex(), true);
    }
    if (mistake != 1) CommitCopies();
  };
  issue(0);
  for (int round = 0; round < kRounds; ++round) {
    issue(round + 1);
    if (mistake == 2) {
      WaitCopies<2>();
    } else {
      WaitCopies<1>();
    }
    if (mistake != 3) SyncThreads();
    const int other = BlockThreads() - 1 - ThreadIndex();
    LoadShared<uint32_t>(SharedStart() + static_cast<uint32_t>(round % 2 * 1024 + 16 * other));
    if (mistake != 4) SyncThreads();
  }
}

TEST(WrongKernel, CopyRing) {
  TestBuffer<uint32_t> source(256, 1, "source", Access::kRead);
  const LaunchOptions options = {.block_threads = 64, .dynamic_shared_bytes = 2048};
  const auto kernel = [&](int mistake) { CopyRing(source.data(), mistake); };
  ExpectRuns(options, [&] { kernel(0); });
  ExpectFails(options, kUnfinishedCopy, "without waiting", [&] { kernel(1); });
  ExpectFails(options, kUnfinishedCopy, "without waiting", [&] { kernel(2); });
  // Another's copy may not even be issued where the barrier after the wait is missing.
  ExpectReported(options, {kRace, kUnfinishedCopy, kPoisonRead}, [&] { kernel(3); });
  ExpectReported(options, {kRace, kUnfinishedCopy}, [&] { kernel(4); });
}

// A producer warp feeds a ring of two slots with bulk copies; a consumer warp empties it.
void BulkRing(const uint32_t* source, int mistake) {
  constexpr int kRounds = 6;
  constexpr uint32_t kBytes = 128;
  const auto full = [](int slot) { return SharedStart() + static_cast<uint32_t>(8 * slot); };
  const auto empty = [](int slot) { return SharedStart() + 16 + static_cast<uint32_t>(8 * slot); };
  const auto data = [](int slot) {
    return SharedStart() + 128 + static_cast<uint32_t>(slot) * kBytes;
  };
  if (ThreadIndex() == 0) {
    for (int slot = 0; slot < 2; ++slot) {
      MbarrierInit(full(slot), mistake == 1 ? 2 : 1);
      MbarrierInit(empty(slot), 1);
    }
    if (mistake != 2) FenceMbarrierInit();
  }
  if (mistake != 3) SyncThreads();
  if (ThreadIndex() == 0) {
    for (int round = 0; round < kRounds; ++round) {
      const int slot = round % 2;
      const auto parity = static_cast<uint32_t>(round / 2 & 1);
      if (mistake != 4) MbarrierWait(empty(slot), mistake == 5 ? parity : parity ^ 1u);
      MbarrierArriveExpectTx(full(slot), mistake == 6 ? 64 : mistake == 7 ? 256 : 128);
      BulkCopy(data(slot), source, kBytes, full(slot));
      if (mistake == 8) MbarrierArrive(full(slot));
    }
  } else if (ThreadIndex() >= 32) {
    for (int round = 0; round < kRounds; ++round) {
      const int slot = round % 2;
      if (mistake != 9) MbarrierWait(full(slot), static_cast<uint32_t>(round / 2 & 1));
      LoadShared<uint32_t>(data(slot) + static_cast<uint32_t>(4 * LaneIndex()));
      if (mistake != 10) SyncWarp();
      if (LaneIndex() == 0 && mistake != 11) MbarrierArrive(empty(slot));
    }
  }
}

TEST(WrongKernel, BulkRing) {
  TestBuffer<uint32_t> source(32, 1, "source", Access::kRead);
  const LaunchOptions options = {.block_threads = 64, .dynamic_shared_bytes = 1024};
  const auto kernel = [&](int mistake) { BulkRing(source.data(), mistake); };
  ExpectRuns(options, [&] { kernel(0); });
  const auto fails = [&](int mistake, FailureKind kind, const char* text) {
    SCOPED_TRACE("mistake " + std::to_string(mistake));
    ExpectFails(options, kind, text, [&] { kernel(mistake); });
  };
  fails(1, FailureKind::kDeadlock, "pending arrivals 1 of 2");
  fails(2, FailureKind::kMissingProxyFence, "fence.mbarrier_init");
  fails(5, FailureKind::kDeadlock, "wait in mbarrier.try_wait");
  fails(6, FailureKind::kTransactionCount, "-64");
  fails(7, FailureKind::kDeadlock, "transaction bytes 128");
  fails(11, FailureKind::kDeadlock, "wait in mbarrier.try_wait");
  const auto reported = [&](int mistake, const std::vector<FailureKind>& kinds) {
    SCOPED_TRACE("mistake " + std::to_string(mistake));
    ExpectReported(options, kinds, [&] { kernel(mistake); });
  };
  reported(3, {kRace, FailureKind::kInvalidOperand});
  reported(4, {kRace, kUnfinishedCopy, FailureKind::kOverArrival});
  reported(8, {FailureKind::kOverArrival, FailureKind::kTransactionCount, FailureKind::kDeadlock});
  reported(9, {kUnfinishedCopy, kPoisonRead});
  reported(10, {kRace});
}

TEST(WrongKernel, ReadsWhatNobodyWrote) {
  ExpectFails({.dynamic_shared_bytes = 128}, FailureKind::kPoisonRead, "nothing has been written",
              [] { LoadShared<float>(Slot(LaneIndex())); });
}

TEST(WrongKernel, ReadsHalfOfWhatItWrote) {
  ExpectFails({.dynamic_shared_bytes = 128}, FailureKind::kPoisonRead, "", [] {
    StoreShared(Slot(LaneIndex()), static_cast<uint16_t>(1));
    LoadShared<uint32_t>(Slot(LaneIndex()));
  });
}

TEST(WrongKernel, WritesPastSharedMemory) {
  ExpectFails({.dynamic_shared_bytes = 64}, FailureKind::kOutOfRange, "of 64",
              [] { StoreShared(Slot(LaneIndex()), 1); });
}

TEST(WrongKernel, WritesAcrossAnAlignment) {
  ExpectFails({.dynamic_shared_bytes = 1024}, FailureKind::kMisaligned, "multiple of 16",
              [] { StoreShared(Slot(LaneIndex()), Words4{}); });
}

TEST(WrongKernel, ShufflesInOneBranchOfAWarp) {
  ExpectFails({}, FailureKind::kDivergentCollective, "", [] {
    if (LaneIndex() < 16) ShuffleXor(1, 1);
  });
}

TEST(WrongKernel, WaitsAtDifferentBarriersInAWarp) {
  ExpectFails({.block_threads = 64}, FailureKind::kDivergentCollective, "different barriers",
              [] { NamedBarrierSync(1 + LaneIndex() % 2, 64); });
}

TEST(WrongKernel, MultipliesInTwoBranchesOfAWarp) {
  ExpectFails({}, FailureKind::kDivergentCollective, "mma.sync", [] {
    float d[4] = {};
    const uint32_t a[4] = {};
    const uint32_t b[2] = {};
    float sums[4] = {};
    if (LaneIndex() % 2 == 0) {
      Mma16816<Half>(d, a, b);
    } else {
      Mma16816<Half>(sums, a, b);
    }
  });
}

TEST(WrongKernel, BarrierInABranchOfSomeWarps) {
  ExpectFails({.block_threads = 96}, FailureKind::kDeadlock, "bar.sync 0: 2 of 3 warps", [] {
    if (ThreadIndex() < 64) {
      SyncThreads();
    } else {
      NamedBarrierSync(1, 96);
    }
  });
}

TEST(WrongKernel, NamedBarrierWithTooFewThreads) {
  ExpectFails({.block_threads = 96}, FailureKind::kDeadlock, "barrier 2: 64 of 96 threads", [] {
    if (ThreadIndex() < 64) NamedBarrierSync(2, 96);
  });
}

TEST(WrongKernel, ArrivesTwiceAtANamedBarrier) {
  ExpectFails({.block_threads = 96}, FailureKind::kOverArrival, "again before it is complete", [] {
    if (ThreadIndex() < 32) {
      NamedBarrierArrive(1, 96);
      NamedBarrierArrive(1, 96);
    }
  });
}

TEST(WrongKernel, ArrivesMoreOftenThanAnMbarrierCounts) {
  TestBuffer<uint32_t> source(32, 1, "source", Access::kRead);
  ExpectFails({.dynamic_shared_bytes = 64}, FailureKind::kOverArrival, "has all its 1 arrivals",
              [] {
                if (ThreadIndex() != 0) return;
                MbarrierInit(SharedStart(), 1);
                MbarrierArriveExpectTx(SharedStart(), 16);
                MbarrierArrive(SharedStart());
              });
}

TEST(WrongKernel, UsesAnMbarrierThatIsNone) {
  ExpectFails({.dynamic_shared_bytes = 64}, FailureKind::kInvalidOperand, "no initialised mbarrier",
              [] { MbarrierArrive(SharedStart() + 8); });
}

TEST(WrongKernel, LeavesWithABulkCopyUnderWay) {
  TestBuffer<uint32_t> source(32, 1, "source", Access::kRead);
  const LaunchReport report =
      Launch({.dynamic_shared_bytes = 256, .async = AsyncCompletion::kLatest}, [&] {
        if (ThreadIndex() != 0) return;
        MbarrierInit(SharedStart(), 1);
        FenceMbarrierInit();
        MbarrierArriveExpectTx(SharedStart(), 128);
        BulkCopy(SharedStart() + 128, source.data(), 128, SharedStart());
      });
  ASSERT_FALSE(report.Ok());
  EXPECT_EQ(report.failure->kind, FailureKind::kUnfinishedCopy) << report.Text();
}

TEST(WrongKernel, ADeadlockNamesEveryWarpAndWhereItWaits) {
  const LaunchReport report = Launch({.block_threads = 64, .dynamic_shared_bytes = 64}, [] {
    if (ThreadIndex() == 0) {
      MbarrierInit(SharedStart(), 3);
      MbarrierArrive(SharedStart());
      MbarrierWait(SharedStart(), 0);
    }
    SyncWarp();
    SyncThreads();
  });
  ASSERT_FALSE(report.Ok());
  const std::string text = report.Text();
  for (const char* part :
       {"Deadlock", "phase 0", "pending arrivals 2 of 3",
        "warp 0 lanes 0 wait in mbarrier.try_wait at wrong_kernels_test.cc:",
        "warp 0 lanes 1-31 wait in bar.warp.sync", "warp 1 lanes 0-31 wait in bar.sync 0"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\nin\n" << text;
  }
}

}  // namespace
}  // namespace causeway::kernels::simt
