// SPDX-License-Identifier: Apache-2.0
// Bulk copies and tiled loads: what arrives where, and what they refuse.
#include "kernels/simt/async_engine.h"

#include "tests/kernels/simt/simt_test_support.h"

namespace causeway::kernels::simt {
namespace {

constexpr uint32_t kData = 1024;  // of shared memory; the mbarrier is at its start

/// One thread loads `bytes` with `load` and all look at them.
template <typename Load>
void LoadAndCopyOut(int bytes, uint8_t* out, const Load& load) {
  const uint32_t barrier = SharedStart();
  if (ThreadIndex() == 0) {
    MbarrierInit(barrier, 1);
    FenceMbarrierInit();
  }
  SyncThreads();
  if (ThreadIndex() == 0) {
    MbarrierArriveExpectTx(barrier, bytes);
    load(SharedStart() + kData, barrier);
  }
  MbarrierWait(barrier, 0);
  for (int i = ThreadIndex() * 4; i < bytes; i += 128) {
    StoreGlobal(reinterpret_cast<uint32_t*>(out + i),
                LoadShared<uint32_t>(SharedStart() + kData + static_cast<uint32_t>(i)));
  }
}

TEST(BulkCopy, CopiesContiguousBytes) {
  TestBuffer<uint8_t> source(256, 0, "source", Access::kRead);
  for (size_t i = 0; i < 256; ++i) source[i] = static_cast<uint8_t>(i);
  TestBuffer<uint8_t> out(192, 0);
  ExpectRuns(
      {.dynamic_shared_bytes = 2048},
      [&] {
        LoadAndCopyOut(192, out.data(), [&](uint32_t data, uint32_t barrier) {
          BulkCopy(data, source.data() + 16, 192, barrier);
        });
      },
      [&] {
        for (size_t i = 0; i < 192; ++i) EXPECT_EQ(out[i], i + 16);
      });
}

TEST(BulkCopy, RefusesSizesThatAreNoMultipleOf16) {
  TestBuffer<uint8_t> source(64, 0, "source", Access::kRead);
  TestBuffer<uint8_t> out(64, 0);
  ExpectFails({.dynamic_shared_bytes = 2048}, FailureKind::kInvalidOperand, "multiple of 16", [&] {
    LoadAndCopyOut(24, out.data(), [&](uint32_t data, uint32_t barrier) {
      BulkCopy(data, source.data(), 24, barrier);
    });
  });
}

TEST(BulkCopy, RefusesToReadPastABuffer) {
  TestBuffer<uint8_t> source(64, 0, "weights", Access::kRead);
  TestBuffer<uint8_t> out(64, 0);
  ExpectFails({.dynamic_shared_bytes = 2048}, FailureKind::kOutOfRange,
              "at byte 48 of 'weights', which has 64", [&] {
                LoadAndCopyOut(32, out.data(), [&](uint32_t data, uint32_t barrier) {
                  BulkCopy(data, source.data() + 48, 32, barrier);
                });
              });
}

// [4][6][16] bytes; the value of an element is its index.
struct Volume {
  Volume() : data(4 * 6 * 16, 0, "volume", Access::kRead) {
    for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<uint8_t>(i);
  }
  TestBuffer<uint8_t> data;
};

TEST(LoadTile, FillsWhatLiesOutsideWithZeros) {
  const Volume volume;
  const TensorMap map = MakeTensorMap(volume.data.data(), 1, {16, 6, 4}, {16, 96}, {16, 3, 2});
  TestBuffer<uint8_t> out(96, 0xee);
  for (const int x : {0, -3, 5}) {
    ExpectRuns(
        {.dynamic_shared_bytes = 2048},
        [&] {
          LoadAndCopyOut(96, out.data(), [&](uint32_t data, uint32_t barrier) {
            LoadTile(data, &map, barrier, x, -1, 3);
          });
        },
        [&] {
          for (int i = 0; i < 96; ++i) {
            const int at[3] = {x + i % 16, -1 + i / 16 % 3, 3 + i / 48};
            const bool inside = at[0] >= 0 && at[0] < 16 && at[1] >= 0 && at[1] < 6 && at[2] < 4;
            const int value = inside ? at[2] * 96 + at[1] * 16 + at[0] : 0;
            EXPECT_EQ(out[static_cast<size_t>(i)], static_cast<uint8_t>(value)) << i;
          }
        });
  }
}

TEST(LoadTile, TakesOneToFiveCoordinates) {
  const Volume volume;
  const uint8_t* base = volume.data.data();
  TestBuffer<uint8_t> out(32, 0);
  const TensorMap one = MakeTensorMap(base, 1, {384}, {}, {32});
  const TensorMap two = MakeTensorMap(base, 1, {16, 24}, {16}, {16, 2});
  const TensorMap four = MakeTensorMap(base, 1, {16, 2, 3, 4}, {16, 32, 96}, {16, 2, 1, 1});
  const TensorMap five =
      MakeTensorMap(base, 1, {16, 2, 3, 2, 2}, {16, 32, 96, 192}, {16, 2, 1, 1, 1});
  const std::function<void(uint32_t, uint32_t)> loads[] = {
      [&](uint32_t data, uint32_t barrier) { LoadTile(data, &one, barrier, 192 + 32); },
      [&](uint32_t data, uint32_t barrier) { LoadTile(data, &two, barrier, 0, 14); },
      [&](uint32_t data, uint32_t barrier) { LoadTile(data, &four, barrier, 0, 0, 1, 2); },
      [&](uint32_t data, uint32_t barrier) { LoadTile(data, &five, barrier, 0, 0, 1, 0, 1); }};
  for (const auto& load : loads) {
    ExpectRuns(
        {.dynamic_shared_bytes = 2048}, [&] { LoadAndCopyOut(32, out.data(), load); },
        [&] {
          for (size_t i = 0; i < 32; ++i) {
            EXPECT_EQ(out[i], static_cast<uint8_t>(224 + i)) << i;
          }
        });
  }
}

TEST(LoadTile, SwizzlesRowsOf128Bytes) {
  TestBuffer<uint8_t> source(128 * 16, 0, "source", Access::kRead);
  for (size_t i = 0; i < source.size(); ++i) source[i] = static_cast<uint8_t>(i / 16);
  const TensorMap map =
      MakeTensorMap(source.data(), 2, {64, 16}, {128}, {64, 16}, Swizzle::k128Bytes);
  TestBuffer<uint8_t> out(2048, 0);
  ExpectRuns(
      {.dynamic_shared_bytes = 4096},
      [&] {
        LoadAndCopyOut(2048, out.data(), [&](uint32_t data, uint32_t barrier) {
          LoadTile(data, &map, barrier, 0, 0);
        });
      },
      [&] {
        for (size_t chunk = 0; chunk < 128; ++chunk) {
          const size_t row = chunk / 8;
          EXPECT_EQ(out[(row * 8 + ((chunk % 8) ^ (row % 8))) * 16], chunk);
        }
      });
}

TEST(LoadTile, RefusesADestinationThatIsNoMultipleOf128) {
  const Volume volume;
  const TensorMap map = MakeTensorMap(volume.data.data(), 1, {384}, {}, {32});
  TestBuffer<uint8_t> out(32, 0);
  ExpectFails({.dynamic_shared_bytes = 2048}, FailureKind::kMisaligned, "multiple of 128", [&] {
    LoadAndCopyOut(32, out.data(),
                   [&](uint32_t data, uint32_t barrier) { LoadTile(data + 64, &map, barrier, 0); });
  });
}

TEST(LoadTile, RefusesAnotherRankThanTheMaps) {
  const Volume volume;
  const TensorMap map = MakeTensorMap(volume.data.data(), 1, {384}, {}, {32});
  TestBuffer<uint8_t> out(32, 0);
  ExpectFails({.dynamic_shared_bytes = 2048}, FailureKind::kInvalidOperand, "rank 1", [&] {
    LoadAndCopyOut(32, out.data(),
                   [&](uint32_t data, uint32_t barrier) { LoadTile(data, &map, barrier, 0, 0); });
  });
}

TEST(Prefetch, ChecksItsRangeAndChangesNothing) {
  TestBuffer<uint8_t> source(64, 0, "source", Access::kRead);
  ExpectRuns({}, [&] { PrefetchBulk(source.data(), 64); });
  ExpectFails({}, FailureKind::kOutOfRange, "prefetch", [&] { PrefetchBulk(source.data(), 80); });
}

}  // namespace
}  // namespace causeway::kernels::simt
