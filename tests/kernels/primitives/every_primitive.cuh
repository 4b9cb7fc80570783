// SPDX-License-Identifier: Apache-2.0
// Two kernels that use every primitive, for both compilers: nvcc has to assemble them for sm_80 and
// sm_90a, and on the host they have to run without a complaint.
#pragma once

#include "kernels/primitives/primitives.h"

namespace causeway::kernels {

// 64 threads, 4,096 bytes of shared memory. input: 1,024 bytes; output: 64 words and a counter.
CAUSEWAY_KERNEL void CAUSEWAY_LAUNCH_BOUNDS(64, 1)
    portable_primitives_kernel(const unsigned char* input, uint32_t* output, int* counter) {
  const uint32_t shared = SharedAddress(DynamicShared());
  const int thread = ThreadIndex();
  const uint32_t mine = shared + static_cast<uint32_t>(16 * thread);

  CopyAsync16(mine, input + 16 * thread, true);
  CommitCopies();
  CopyAsync16(mine + 1024, nullptr, false);
  CommitCopies();
  WaitCopies<1>();
  WaitCopies<0>();
  SyncThreads();

  const uint32_t row = shared + static_cast<uint32_t>(16 * LaneIndex());
  uint32_t a[4];
  uint32_t b[4];
  uint32_t pair[2];
  uint32_t transposed_pair[2];
  uint32_t single[1];
  LoadMatrix4(a, row);
  LoadMatrixTransposed4(b, row);
  LoadMatrix2(pair, row);
  LoadMatrixTransposed2(transposed_pair, row);
  LoadMatrix1(single, row);
  float d[4] = {0.0f, 0.0f, 0.0f, 0.0f};
  Mma16816<Half>(d, a, pair);
  Mma16816<Bfloat16>(d, b, transposed_pair);
  Mma1688(d, a, pair);
  LoadMatrixTransposed1(single, row);

  float sum = d[0] + ShuffleXor(d[1], 1) + ShuffleIndex(d[2], 3);
  sum += ApproxExp2(-1.0f) + ApproxReciprocal(2.0f) + ApproxRsqrt(4.0f) +
         ApproxTanh(RoundToTf32(d[3]));
  float low = 0.0f;
  float high = 0.0f;
  UnpackHalf2(PackHalf2(sum, 1.0f), low, high);
  UnpackBfloat162(PackBfloat162(low, high), low, high);
  sum += BitsFloat(FloatBits(low)) + high;

  SyncThreads();
  StoreShared(mine, Words4{{1, 2, 3, single[0]}});
  StoreShared(mine + 1024, Words2{{Ballot(sum > 0.0f), AnySync(sum > 0.0f) ? 1u : 0u}});
  StoreShared(mine + 1032, sum);
  StoreShared(mine + 1036, static_cast<uint16_t>(GridBlocks()));
  if (thread == 0) StoreShared(shared + 2048, 0);
  NamedBarrierSync(1, BlockThreads());
  AtomicAddShared(shared + 2048, 1);
  if (thread < 32) {
    NamedBarrierArrive(2, 64);
  } else {
    NamedBarrierSync(2, 64);
  }
  SyncWarp();
  uint32_t word = LoadShared<Words4>(mine).word[3] + LoadShared<Words2>(mine + 1024).word[0];
  word += FloatBits(LoadShared<float>(mine + 1032)) + LoadShared<uint16_t>(mine + 1036);
  word += LoadGlobal16(input).word[1] + LoadGlobal8(input).word[1] + LoadGlobal4(input);
  word += LoadGlobal(input + thread);
  if (thread % 4 == 0) StoreGlobal16(output + thread, Words4{{word, word, word, word}});
  if (thread % 4 == 1) StoreGlobal8(output + thread - 1, Words2{{word, word}});
  if (thread % 4 == 2) StoreGlobal4(output + thread, word);
  if (thread % 4 == 3) StoreGlobal(output + thread, word);
  AtomicAddGlobal(counter, BlockIndex() + 1);
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

struct TileMaps {
  TensorMap of_rank[5];
};

template <typename Element, int kN>
CAUSEWAY_DEVICE float FirstProduct(uint64_t a, uint64_t b) {
  float d[kN / 2];
  WgmmaFence();
  Wgmma<Element, kN>(d, a, b, false);
  Wgmma<Element, kN>(d, a, b, true);
  WgmmaCommit();
  WgmmaWait<1>();
  WgmmaWait<0>();
  float sum = 0.0f;
  CAUSEWAY_UNROLL
  for (int i = 0; i < kN / 2; ++i) sum += d[i];
  return sum;
}

template <typename Element>
CAUSEWAY_DEVICE float Products(uint64_t a, uint64_t b) {
  return FirstProduct<Element, 8>(a, b) + FirstProduct<Element, 96>(a, b) +
         FirstProduct<Element, 128>(a, b) + FirstProduct<Element, 192>(a, b) +
         FirstProduct<Element, 256>(a, b);
}

// Two blocks of 128 threads in a cluster, 16,384 bytes of shared memory. source: 8,192 bytes of
// zeros; the maps are of 1 to 5 dimensions of it, with boxes of 128 bytes. output: 256 words.
CAUSEWAY_KERNEL void CAUSEWAY_LAUNCH_BOUNDS(128, 1)
    hopper_primitives_kernel(const CAUSEWAY_GRID_CONSTANT TileMaps maps,
                             const unsigned char* source, float* output) {
  const uint32_t shared = SharedAddress(DynamicShared());
  const uint32_t bulk = shared;  // barriers
  const uint32_t tiles = shared + 8;
  const uint32_t remote = shared + 16;
  const uint32_t data = shared + 1024;
  const int rank = ClusterRank();
  if (ThreadIndex() == 0) {
    PrefetchTensorMap(&maps.of_rank[0]);
    PrefetchBulk(source, 8192);
    MbarrierInit(bulk, 2);
    MbarrierInit(tiles, 1);
    MbarrierInit(remote, ClusterBlocks());
    FenceMbarrierInit();
    MbarrierArriveExpectTx(tiles, 15 * 128);
  }
  ClusterArrive();
  ClusterWait();
  if (ThreadIndex() == 0) {
    MbarrierExpectTx(bulk, 8192 - 256);
    MbarrierArrive(bulk);
    MbarrierArriveExpectTx(bulk, 256);
    BulkCopy(data, source, 8192 - 256, bulk);
    BulkCopyMulticast(data + 8192 - static_cast<uint32_t>(128 * (2 - rank)), source, 128, bulk, 3);
    const uint32_t own = data + 8192;
    LoadTile(own, &maps.of_rank[0], tiles, 0);
    LoadTile(own + 128, &maps.of_rank[1], tiles, 0, 0);
    LoadTile(own + 256, &maps.of_rank[2], tiles, 0, 0, 0);
    LoadTile(own + 384, &maps.of_rank[3], tiles, 0, 0, 0, 0);
    LoadTile(own + 512, &maps.of_rank[4], tiles, 0, 0, 0, 0, 0);
    const uint32_t both = own + 1024 + static_cast<uint32_t>(1024 * rank);
    LoadTileMulticast(both, &maps.of_rank[0], tiles, 3, 0);
    LoadTileMulticast(both + 128, &maps.of_rank[1], tiles, 3, 0, 0);
    LoadTileMulticast(both + 256, &maps.of_rank[2], tiles, 3, 0, 0, 0);
    LoadTileMulticast(both + 384, &maps.of_rank[3], tiles, 3, 0, 0, 0, 0);
    LoadTileMulticast(both + 512, &maps.of_rank[4], tiles, 3, 0, 0, 0, 0, 0);
  }
  while (!MbarrierTryWait(bulk, 0)) {
  }
  MbarrierWaitCluster(tiles, 0);

  const uint64_t plain = WgmmaDescriptor(data, 2048, 128);
  const uint64_t swizzled = WgmmaDescriptor(data, 16, 1024, Swizzle::k128Bytes);
  RegistersDecrease<160>();
  RegistersIncrease<168>();
  float sum = Products<Half>(plain, plain) + Products<Bfloat16>(plain, plain) +
              Products<Tf32>(plain, plain) + Products<E4m3>(plain, plain) +
              FirstProduct<Half, 8>(swizzled, swizzled);

  if (ThreadIndex() == 0) {
    StoreSharedCluster(MapSharedRank(shared + 64, 1 - rank), sum);
    MbarrierArriveRemote(MapSharedRank(remote, 1 - rank));
    MbarrierArrive(remote);
  }
  MbarrierWaitCluster(remote, 0);
  sum += LoadSharedCluster<float>(MapSharedRank(shared + 64, rank));
  FenceProxyAsync();
  MbarrierWait(bulk, 0);
  ClusterSync();
  if (ThreadIndex() == 0) MbarrierInvalidate(bulk);
  StoreGlobal(output + BlockIndex() * BlockThreads() + ThreadIndex(), sum);
}

#endif

}  // namespace causeway::kernels
