// SPDX-License-Identifier: Apache-2.0
// Clusters: barrier, distributed shared memory, remote arrivals, multicast.
#include "tests/kernels/simt/simt_test_support.h"

namespace causeway::kernels::simt {
namespace {

constexpr LaunchOptions kClusters = {
    .grid_blocks = 8, .block_threads = 64, .cluster_blocks = 4, .dynamic_shared_bytes = 4096};

TEST(Cluster, NumbersItsBlocks) {
  TestBuffer<int> out(8, -1);
  ExpectRuns(
      kClusters,
      [&] {
        if (ThreadIndex() == 0) {
          StoreGlobal(out.data() + BlockIndex(), ClusterRank() * 10 + ClusterBlocks());
        }
      },
      [&] {
        for (int i = 0; i < 8; ++i) EXPECT_EQ(out[static_cast<size_t>(i)], i % 4 * 10 + 4);
      });
}

TEST(Cluster, ReadsAndWritesTheSharedMemoryOfItsBlocks) {
  TestBuffer<int> out(16, -1);
  ExpectRuns(
      kClusters,
      [&] {
        const int rank = ClusterRank();
        const uint32_t start = SharedStart();
        if (ThreadIndex() == 0) {
          StoreShared(start, 100 * BlockIndex());
          // Into the next block, at a place of its own.
          StoreSharedCluster(MapSharedRank(start + 64, (rank + 1) % 4), BlockIndex());
        }
        ClusterSync();
        if (ThreadIndex() == 5) {
          const int other = LoadSharedCluster<int>(MapSharedRank(start, (rank + 2) % 4));
          StoreGlobal(out.data() + 2 * BlockIndex(), other);
          StoreGlobal(out.data() + 2 * BlockIndex() + 1, LoadShared<int>(start + 64));
        }
        ClusterSync();  // nobody leaves while others read its memory
      },
      [&] {
        for (int block = 0; block < 8; ++block) {
          const int first = block / 4 * 4;
          EXPECT_EQ(out[static_cast<size_t>(2 * block)], 100 * (first + (block + 2) % 4));
          EXPECT_EQ(out[static_cast<size_t>(2 * block + 1)], first + (block + 3) % 4);
        }
      });
}

TEST(Cluster, RemoteArrivalsCompleteAPhase) {
  TestBuffer<int> out(8, -1);
  ExpectRuns(
      kClusters,
      [&] {
        const uint32_t barrier = SharedStart();
        if (ThreadIndex() == 0) {
          MbarrierInit(barrier, 4);
          FenceMbarrierInit();
        }
        ClusterSync();
        // Every block writes its number to rank 0 and arrives there.
        if (ThreadIndex() == 0) {
          StoreSharedCluster(
              MapSharedRank(SharedStart() + 64 + static_cast<uint32_t>(4 * ClusterRank()), 0),
              BlockIndex());
          MbarrierArriveRemote(MapSharedRank(barrier, 0));
        }
        if (ClusterRank() == 0 && ThreadIndex() < 4) {
          MbarrierWaitCluster(barrier, 0);
          StoreGlobal(
              out.data() + BlockIndex() + ThreadIndex(),
              LoadShared<int>(SharedStart() + 64 + static_cast<uint32_t>(4 * ThreadIndex())));
        }
        ClusterSync();
      },
      [&] {
        for (int i = 0; i < 8; ++i) EXPECT_EQ(out[static_cast<size_t>(i)], i);
      });
}

// Each block loads a quarter and sends it to all.
template <typename Load>
void LoadQuarters(uint32_t* out, const Load& load) {
  const uint32_t barrier = SharedStart();
  if (ThreadIndex() == 0) {
    MbarrierInit(barrier, 1);
    FenceMbarrierInit();
    MbarrierArriveExpectTx(barrier, 4 * 128);
  }
  ClusterSync();
  if (ThreadIndex() == 0) {
    load(SharedStart() + 1024 + static_cast<uint32_t>(128 * ClusterRank()), barrier);
  }
  MbarrierWaitCluster(barrier, 0);
  for (int i = ThreadIndex(); i < 128; i += BlockThreads()) {
    StoreGlobal(out + BlockIndex() * 128 + i,
                LoadShared<uint32_t>(SharedStart() + 1024 + static_cast<uint32_t>(4 * i)));
  }
  ClusterSync();
}

struct Quarters {
  Quarters() : source(128, 0, "source", Access::kRead), out(1024, 0) {
    for (size_t i = 0; i < 128; ++i) source[i] = static_cast<uint32_t>(i * 3);
  }
  void Check() const {
    for (size_t i = 0; i < 1024; ++i) ASSERT_EQ(out[i], i % 128 * 3) << i;
  }
  TestBuffer<uint32_t> source;
  TestBuffer<uint32_t> out;
};

TEST(Cluster, BulkCopiesGoToEveryBlockOfTheMask) {
  const Quarters quarters;
  ExpectRuns(
      kClusters,
      [&] {
        LoadQuarters(quarters.out.data(), [&](uint32_t data, uint32_t barrier) {
          BulkCopyMulticast(data, quarters.source.data() + 32 * ClusterRank(), 128, barrier, 15);
        });
      },
      [&] { quarters.Check(); });
}

TEST(Cluster, TiledLoadsGoToEveryBlockOfTheMask) {
  const Quarters quarters;
  const TensorMap map = MakeTensorMap(quarters.source.data(), 4, {32, 4}, {128}, {32, 1});
  ExpectRuns(
      kClusters,
      [&] {
        LoadQuarters(quarters.out.data(), [&](uint32_t data, uint32_t barrier) {
          LoadTileMulticast(data, &map, barrier, 15, 0, ClusterRank());
        });
      },
      [&] { quarters.Check(); });
}

TEST(Cluster, RefusesAMaskBeyondItsBlocks) {
  const Quarters quarters;
  ExpectFails(kClusters, FailureKind::kInvalidOperand, "block mask 16", [&] {
    LoadQuarters(quarters.out.data(), [&](uint32_t data, uint32_t barrier) {
      BulkCopyMulticast(data, quarters.source.data(), 128, barrier, 16);
    });
  });
}

TEST(Cluster, RefusesARankBeyondItsBlocks) {
  ExpectFails(kClusters, FailureKind::kOutOfRange, "rank 4 in a cluster of 4",
              [] { MapSharedRank(SharedStart(), 4); });
}

TEST(Cluster, SyncThreadsDoesNotOrderOtherBlocks) {
  ExpectFails(kClusters, FailureKind::kRace, "of block rank", [] {
    if (ThreadIndex() == 0) StoreSharedCluster(MapSharedRank(SharedStart(), 0), 1);
    SyncThreads();
  });
}

TEST(Cluster, ReportsASecondArrivalBeforeTheWait) {
  ExpectFails(kClusters, FailureKind::kOverArrival, "again before it has waited", [] {
    ClusterArrive();
    ClusterArrive();
  });
}

}  // namespace
}  // namespace causeway::kernels::simt
