// SPDX-License-Identifier: Apache-2.0
// wgmma: operand layouts of the PTX ISA ("Asynchronous Warpgroup Level Matrix Shared Memory
// Layout"), the accumulators' fragment ("Register Fragments": matrix D), and the rules around it.
#include "kernels/simt/wgmma.h"

#include <cmath>

#include "tests/kernels/simt/simt_test_support.h"

namespace causeway::kernels::simt {
namespace {

float ValueOfA(int row, int k) { return static_cast<float>((row * 5 + k * 3) % 11 - 5); }
float ValueOfB(int k, int n) { return static_cast<float>((n * 7 + k * 2) % 9 - 4); }

template <typename T>
T Encode(float value);
template <>
Half Encode<Half>(float value) {
  return ToHalf(value);
}
template <>
Bfloat16 Encode<Bfloat16>(float value) {
  return ToBfloat16(value);
}
template <>
Tf32 Encode<Tf32>(float value) {
  return ToTf32(value);
}
template <>
E4m3 Encode<E4m3>(float value) {
  return ToE4m3(value);
}

// K-major without swizzle, from the canonical layout ((8, m), (T, 2)) : ((1T, SBO), (1, LBO)) in
// elements, T elements to 16 bytes.
struct Plain {
  uint32_t leading;
  uint32_t stride;
  uint32_t Offset(int row, int byte) const {
    return static_cast<uint32_t>(row % 8 * 16) + static_cast<uint32_t>(row / 8) * stride +
           static_cast<uint32_t>(byte % 16) + static_cast<uint32_t>(byte / 16) * leading;
  }
  uint64_t Descriptor(uint32_t address) const { return WgmmaDescriptor(address, leading, stride); }
};

// K-major with the 128-byte swizzle, the 32 bytes at `first` of the rows' 128.
struct Swizzled {
  uint32_t first;
  uint32_t Offset(int row, int byte) const {
    const uint32_t chunk = (first + static_cast<uint32_t>(byte)) / 16;
    return static_cast<uint32_t>(row * 128) + (chunk ^ static_cast<uint32_t>(row % 8)) * 16 +
           static_cast<uint32_t>(byte % 16);
  }
  uint64_t Descriptor(uint32_t address) const {
    return WgmmaDescriptor(address + first, 16, 1024, Swizzle::k128Bytes);
  }
};

/// Writes `rows` x 32 bytes of an operand in its layout.
template <typename T, typename Layout, typename Value>
void FillOperand(uint32_t address, int rows, const Layout& layout, const Value& value) {
  constexpr int kDepth = 32 / static_cast<int>(sizeof(T));
  for (int row = ThreadIndex(); row < rows; row += BlockThreads()) {
    if constexpr (sizeof(T) == 1) {
      for (int k = 0; k < kDepth; k += 2) {
        const auto pair = static_cast<uint16_t>(Encode<T>(value(row, k)).bits |
                                                Encode<T>(value(row, k + 1)).bits << 8);
        StoreShared(address + layout.Offset(row, k), pair);
      }
    } else {
      for (int k = 0; k < kDepth; ++k) {
        StoreShared(address + layout.Offset(row, k * static_cast<int>(sizeof(T))),
                    Encode<T>(value(row, k)));
      }
    }
  }
}

constexpr uint32_t kB = 16384;  // where B begins in shared memory

template <typename T, int kN, typename Layout>
void ExpectProduct(const Layout& a_layout, const Layout& b_layout) {
  constexpr int kDepth = 32 / static_cast<int>(sizeof(T));
  TestBuffer<float> out(64 * kN, -1.0f);
  ExpectRuns(
      {.block_threads = 128, .dynamic_shared_bytes = 65536},
      [&] {
        const uint32_t a = SharedStart();
        const uint32_t b = SharedStart() + kB;
        FillOperand<T>(a, 64, a_layout, ValueOfA);
        FillOperand<T>(b, kN, b_layout, [](int n, int k) { return ValueOfB(k, n); });
        FenceProxyAsync();
        SyncThreads();
        float d[kN / 2];
        for (float& value : d) value = NAN;  // not read by the first product
        WgmmaFence();
        Wgmma<T, kN>(d, a_layout.Descriptor(a), b_layout.Descriptor(b), false);
        Wgmma<T, kN>(d, a_layout.Descriptor(a), b_layout.Descriptor(b), true);
        WgmmaCommit();
        WgmmaWait<0>();
        // Matrix D: warp i has rows 16 i to 16 i + 15; d(i) of a lane is in row lane / 4 (+ 8 where
        // i % 4 >= 2) and column 8 (i / 4) + 2 (lane % 4) + i % 2.
        for (int i = 0; i < kN / 2; ++i) {
          const int row = ThreadIndex() / 32 * 16 + LaneIndex() / 4 + (i % 4 >= 2 ? 8 : 0);
          const int column = i / 4 * 8 + LaneIndex() % 4 * 2 + i % 2;
          StoreGlobal(out.data() + row * kN + column, d[i]);
        }
      },
      [&] {
        for (int row = 0; row < 64; ++row) {
          for (int n = 0; n < kN; ++n) {
            float sum = 0.0f;
            for (int k = 0; k < kDepth; ++k) sum += ValueOfA(row, k) * ValueOfB(k, n);
            ASSERT_EQ(out[static_cast<size_t>(row * kN + n)], 2.0f * sum) << row << ", " << n;
          }
        }
      });
}

TEST(Wgmma, ReadsCoreMatricesByLeadingAndStrideOffsets) {
  // Core matrices along K far apart, those along M and N close: and the other way round.
  ExpectProduct<Half, 96>(Plain{4096, 128}, Plain{2048, 128});
  ExpectProduct<Half, 96>(Plain{128, 256}, Plain{128, 384});
}

TEST(Wgmma, TakesRowsThatAreApartAsInAPatch) {
  // A patch of 18 pixels a row: 8 pixels, then the pitch.
  ExpectProduct<Half, 8>(Plain{5184, 288}, Plain{128, 256});
}

TEST(Wgmma, MultipliesEveryElementType) {
  ExpectProduct<Bfloat16, 128>(Plain{2048, 128}, Plain{2048, 128});
  ExpectProduct<Tf32, 96>(Plain{2048, 128}, Plain{2048, 128});
  ExpectProduct<E4m3, 192>(Plain{2048, 128}, Plain{4096, 128});
}

TEST(Wgmma, ReadsTheSwizzledLayout) {
  ExpectProduct<Half, 96>(Swizzled{0}, Swizzled{32});
  ExpectProduct<Bfloat16, 8>(Swizzled{96}, Swizzled{64});
}

// Rules around it, on one small product.
struct Small {
  static constexpr int kN = 8;
  Plain layout = {1024, 128};
  uint64_t a = 0;
  uint64_t b = 0;
  float d[kN / 2] = {};

  void Fill() {
    FillOperand<Half>(SharedStart(), 64, layout, ValueOfA);
    FillOperand<Half>(SharedStart() + kB, kN, layout, ValueOfA);
    a = layout.Descriptor(SharedStart());
    b = layout.Descriptor(SharedStart() + kB);
  }
  void Issue() { Wgmma<Half, kN>(d, a, b, false); }
};

constexpr LaunchOptions kWarpgroup = {.block_threads = 128, .dynamic_shared_bytes = 32768};

TEST(Wgmma, NeedsAProxyFenceAfterGenericWrites) {
  ExpectFails(kWarpgroup, FailureKind::kMissingProxyFence, "fence.proxy.async", [] {
    Small small;
    small.Fill();
    SyncThreads();
    WgmmaFence();
    small.Issue();
    WgmmaCommit();
    WgmmaWait<0>();
  });
}

TEST(Wgmma, NeedsTheFenceOfTheWriterNotOfTheReader) {
  ExpectFails(kWarpgroup, FailureKind::kMissingProxyFence, "fence.proxy.async", [] {
    Small small;
    small.Fill();
    if (ThreadIndex() == 0) FenceProxyAsync();
    SyncThreads();
    WgmmaFence();
    small.Issue();
    WgmmaCommit();
    WgmmaWait<0>();
  });
}

TEST(Wgmma, NeedsItsOwnFence) {
  ExpectFails(kWarpgroup, FailureKind::kMissingWgmmaFence, "wgmma.fence", [] {
    Small small;
    small.Fill();
    FenceProxyAsync();
    SyncThreads();
    small.Issue();
    WgmmaCommit();
    WgmmaWait<0>();
  });
}

TEST(Wgmma, AccumulatorsArePoisonUntilTheWait) {
  TestBuffer<float> out(128, 0.0f);
  ExpectRuns(
      kWarpgroup,
      [&] {
        Small small;
        small.Fill();
        FenceProxyAsync();
        SyncThreads();
        WgmmaFence();
        small.Issue();
        WgmmaCommit();
        StoreGlobal(out.data() + ThreadIndex(), small.d[1]);
        WgmmaWait<0>();
      },
      [&] {
        for (size_t i = 0; i < 128; ++i) EXPECT_TRUE(std::isnan(out[i]));
      });
}

TEST(Wgmma, ReportsAccumulatorsThatAreWrittenInFlight) {
  ExpectFails(kWarpgroup, FailureKind::kAccumulatorInFlight, "while wgmma was using it", [] {
    Small small;
    small.Fill();
    FenceProxyAsync();
    SyncThreads();
    WgmmaFence();
    small.Issue();
    WgmmaCommit();
    small.d[0] = 0.0f;
    WgmmaWait<0>();
  });
}

TEST(Wgmma, ReportsAThreadThatLeavesBeforeTheWait) {
  ExpectFails(kWarpgroup, FailureKind::kAccumulatorInFlight, "returns before", [] {
    static thread_local float lost[4];
    Small small;
    small.Fill();
    FenceProxyAsync();
    SyncThreads();
    WgmmaFence();
    Wgmma<Half, 8>(lost, small.a, small.b, false);
    WgmmaCommit();
  });
}

TEST(Wgmma, WaitsForAllButTheNewestGroups) {
  // Two groups on two sets of accumulators: after a wait for all but one, the first is complete.
  TestBuffer<float> out(256, 0.0f);
  ExpectRuns(
      kWarpgroup,
      [&] {
        Small first;
        Small second;
        first.Fill();
        FenceProxyAsync();
        SyncThreads();
        second.a = first.a;
        second.b = first.b;
        WgmmaFence();
        first.Issue();
        WgmmaCommit();
        second.Issue();
        WgmmaCommit();
        WgmmaWait<1>();
        StoreGlobal(out.data() + ThreadIndex(), first.d[0]);
        StoreGlobal(out.data() + 128 + ThreadIndex(), second.d[0]);
        WgmmaWait<0>();
      },
      [&] {
        for (size_t i = 0; i < 128; ++i) {
          EXPECT_FALSE(std::isnan(out[i]));
          EXPECT_TRUE(std::isnan(out[128 + i]));
        }
      });
}

TEST(Wgmma, ReportsOperandsThatAreOverwrittenBeforeTheWait) {
  ExpectFails(kWarpgroup, FailureKind::kRace, "that wgmma", [] {
    Small small;
    small.Fill();
    FenceProxyAsync();
    SyncThreads();
    WgmmaFence();
    small.Issue();
    WgmmaCommit();
    SyncThreads();
    if (ThreadIndex() == 5) StoreShared(SharedStart() + kB, uint32_t{0});
    WgmmaWait<0>();
  });
}

TEST(Wgmma, ReportsWarpsThatIssueDifferentProducts) {
  ExpectFails(kWarpgroup, FailureKind::kDivergentCollective, "different wgmma", [] {
    Small small;
    small.Fill();
    FenceProxyAsync();
    SyncThreads();
    if (ThreadIndex() >= 64) small.b += 8;  // 128 bytes further
    WgmmaFence();
    Wgmma<Half, 8>(small.d, small.a, small.a + (ThreadIndex() >= 64 ? 8 : 0), false);
    WgmmaCommit();
    WgmmaWait<0>();
  });
}

TEST(Wgmma, RefusesABlockWithoutAWholeWarpgroup) {
  ExpectFails({.block_threads = 96, .dynamic_shared_bytes = 32768}, FailureKind::kInvalidOperand,
              "four warps", [] {
                float d[4] = {};
                WgmmaFence();
                Wgmma<Half, 8>(d, 0, 0, false);
              });
}

}  // namespace
}  // namespace causeway::kernels::simt
