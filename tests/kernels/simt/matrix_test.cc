// SPDX-License-Identifier: Apache-2.0
// Tables of the PTX ISA, "Warp Level Matrix Instructions": which element of which matrix each
// register of each lane holds. They are written here as the text gives them, per element, while the
// implementation goes per register.
#include "kernels/simt/matrix.h"

#include <bit>

#include "tests/kernels/simt/simt_test_support.h"

namespace causeway::kernels::simt {
namespace {

struct Element {
  int row;
  int column;
};

// "Matrix Fragments for mma.m16n8k16 with floating point type".
Element ElementOfA16(int lane, int i) {  // i = 0 .. 7
  const int group = lane >> 2;
  const int thread_in_group = lane % 4;
  const bool upper = (0 <= i && i < 2) || (4 <= i && i < 6);
  return {upper ? group : group + 8, thread_in_group * 2 + (i & 1) + (i >= 4 ? 8 : 0)};
}
Element ElementOfB16(int lane, int i) {  // i = 0 .. 3
  return {lane % 4 * 2 + (i & 1) + (i >= 2 ? 8 : 0), lane >> 2};
}
// "Matrix Fragments for mma.m16n8k8", .tf32.
Element ElementOfA8(int lane, int i) {  // i = 0 .. 3
  const int group = lane >> 2;
  return {i == 0 || i == 2 ? group : group + 8, i < 2 ? lane % 4 : lane % 4 + 4};
}
Element ElementOfB8(int lane, int i) {  // i = 0, 1
  return {i == 0 ? lane % 4 : lane % 4 + 4, lane >> 2};
}
// C and D of both.
Element ElementOfD(int lane, int i) {  // i = 0 .. 3
  return {i < 2 ? lane >> 2 : (lane >> 2) + 8, lane % 4 * 2 + (i & 1)};
}

// Small integers that tell every place from every other by their products' sums.
float ValueOfA(Element e) { return static_cast<float>((e.row * 7 + e.column * 5) % 17 - 8); }
float ValueOfB(Element e) { return static_cast<float>((e.row * 3 + e.column * 11) % 13 - 6); }
float ValueOfC(Element e) { return static_cast<float>(e.row * 8 + e.column); }

float Expected(Element e, int depth) {
  float sum = ValueOfC(e);
  for (int k = 0; k < depth; ++k) sum += ValueOfA({e.row, k}) * ValueOfB({k, e.column});
  return sum;
}

template <typename T>
uint16_t Bits(float value);
template <>
uint16_t Bits<Half>(float value) {
  return ToHalf(value).bits;
}
template <>
uint16_t Bits<Bfloat16>(float value) {
  return ToBfloat16(value).bits;
}

template <typename T>
void ExpectProductOf16() {
  TestBuffer<float> out(128, -1.0f);
  ExpectRuns(
      {},
      [&] {
        const int lane = LaneIndex();
        uint32_t a[4];
        uint32_t b[2];
        float d[4];
        for (int i = 0; i < 8; i += 2) {
          a[i / 2] = Bits<T>(ValueOfA(ElementOfA16(lane, i))) |
                     static_cast<uint32_t>(Bits<T>(ValueOfA(ElementOfA16(lane, i + 1)))) << 16;
        }
        for (int i = 0; i < 4; i += 2) {
          b[i / 2] = Bits<T>(ValueOfB(ElementOfB16(lane, i))) |
                     static_cast<uint32_t>(Bits<T>(ValueOfB(ElementOfB16(lane, i + 1)))) << 16;
        }
        for (int i = 0; i < 4; ++i) d[i] = ValueOfC(ElementOfD(lane, i));
        Mma16816<T>(d, a, b);
        for (int i = 0; i < 4; ++i) StoreGlobal(out.data() + lane * 4 + i, d[i]);
      },
      [&] {
        for (int lane = 0; lane < 32; ++lane) {
          for (int i = 0; i < 4; ++i) {
            EXPECT_EQ(out[static_cast<size_t>(lane * 4 + i)], Expected(ElementOfD(lane, i), 16))
                << "lane " << lane << " register " << i;
          }
        }
      });
}

TEST(Mma16816, FollowsTheFragmentTablesInHalf) { ExpectProductOf16<Half>(); }
TEST(Mma16816, FollowsTheFragmentTablesInBfloat16) { ExpectProductOf16<Bfloat16>(); }

TEST(Mma1688, FollowsTheFragmentTablesAndIgnoresTheLow13Bits) {
  TestBuffer<float> out(128, -1.0f);
  const auto dirty = [](float value) { return std::bit_cast<uint32_t>(value) | 0x1fffu; };
  ExpectRuns(
      {},
      [&] {
        const int lane = LaneIndex();
        uint32_t a[4];
        uint32_t b[2];
        float d[4];
        for (int i = 0; i < 4; ++i) a[i] = dirty(ValueOfA(ElementOfA8(lane, i)));
        for (int i = 0; i < 2; ++i) b[i] = dirty(ValueOfB(ElementOfB8(lane, i)));
        for (int i = 0; i < 4; ++i) d[i] = ValueOfC(ElementOfD(lane, i));
        Mma1688(d, a, b);
        for (int i = 0; i < 4; ++i) StoreGlobal(out.data() + lane * 4 + i, d[i]);
      },
      [&] {
        for (int lane = 0; lane < 32; ++lane) {
          for (int i = 0; i < 4; ++i) {
            EXPECT_EQ(out[static_cast<size_t>(lane * 4 + i)], Expected(ElementOfD(lane, i), 8));
          }
        }
      });
}

// Word 4 r + w of shared memory holds the halves 100 m + 8 r + 2 w and its successor, so that a
// register says which matrix, row and column it came from.
void FillMatrices() {
  for (int i = ThreadIndex(); i < 4 * 64; i += 32) {
    StoreShared(SharedStart() + static_cast<uint32_t>(2 * i),
                static_cast<uint16_t>(i / 64 * 100 + i % 64));
  }
  SyncWarp();
}

TEST(LoadMatrix, GivesEachLaneAPairOfItsRow) {
  TestBuffer<uint32_t> out(32 * 7, 0);
  ExpectRuns(
      {.dynamic_shared_bytes = 512},
      [&] {
        FillMatrices();
        const int lane = LaneIndex();
        uint32_t four[4];
        uint32_t two[2];
        uint32_t one[1];
        // Threads 0-7, 8-15, 16-23, 24-31 give the rows of matrices 0, 1, 2, 3.
        LoadMatrix4(four, SharedStart() + static_cast<uint32_t>(lane * 16));
        // Addresses of lanes that .x2 and .x1 do not name are ignored.
        LoadMatrix2(two, lane < 16 ? SharedStart() + static_cast<uint32_t>(lane * 16) : 3u);
        LoadMatrix1(one, lane < 8 ? SharedStart() + static_cast<uint32_t>(lane * 16) : 3u);
        for (int i = 0; i < 4; ++i) StoreGlobal(out.data() + lane * 7 + i, four[i]);
        for (int i = 0; i < 2; ++i) StoreGlobal(out.data() + lane * 7 + 4 + i, two[i]);
        StoreGlobal(out.data() + lane * 7 + 6, one[0]);
      },
      [&] {
        for (size_t lane = 0; lane < 32; ++lane) {
          for (size_t i = 0; i < 7; ++i) {
            const size_t matrix = i < 4 ? i : i < 6 ? i - 4 : 0;
            const auto first = static_cast<uint32_t>(matrix * 100 + lane / 4 * 8 + lane % 4 * 2);
            EXPECT_EQ(out[lane * 7 + i], first | (first + 1) << 16) << lane << " " << i;
          }
        }
      });
}

TEST(LoadMatrix, TransposedGivesEachLaneAPairOfItsColumn) {
  TestBuffer<uint32_t> out(32 * 7, 0);
  ExpectRuns(
      {.dynamic_shared_bytes = 512},
      [&] {
        FillMatrices();
        const int lane = LaneIndex();
        const uint32_t row = SharedStart() + static_cast<uint32_t>(lane * 16);
        uint32_t four[4];
        uint32_t two[2];
        uint32_t one[1];
        LoadMatrixTransposed4(four, row);
        LoadMatrixTransposed2(two, row);
        LoadMatrixTransposed1(one, row);
        for (int i = 0; i < 4; ++i) StoreGlobal(out.data() + lane * 7 + i, four[i]);
        for (int i = 0; i < 2; ++i) StoreGlobal(out.data() + lane * 7 + 4 + i, two[i]);
        StoreGlobal(out.data() + lane * 7 + 6, one[0]);
      },
      [&] {
        for (size_t lane = 0; lane < 32; ++lane) {
          for (size_t i = 0; i < 7; ++i) {
            const size_t matrix = i < 4 ? i : i < 6 ? i - 4 : 0;
            const auto first = static_cast<uint32_t>(matrix * 100 + lane % 4 * 2 * 8 + lane / 4);
            EXPECT_EQ(out[lane * 7 + i], first | (first + 8) << 16) << lane << " " << i;
          }
        }
      });
}

TEST(LoadMatrix, RefusesRowsThatAreNotMultiplesOf16) {
  ExpectFails({.dynamic_shared_bytes = 512}, FailureKind::kMisaligned, "multiple of 16", [] {
    FillMatrices();
    uint32_t r[4];
    LoadMatrix4(r, SharedStart() + static_cast<uint32_t>(LaneIndex() * 8));
  });
}

}  // namespace
}  // namespace causeway::kernels::simt
