// SPDX-License-Identifier: Apache-2.0
// The PTX body of the primitives that sm_90 adds: mbarriers, bulk copies, TMA, clusters, and what
// surrounds wgmma. Contracts: README.md.
#pragma once

#include <cstdint>
#include <type_traits>

#include <cuda.h>

#include "kernels/primitives/macros.h"

namespace causeway::kernels {

using TensorMap = CUtensorMap;

// ---- mbarriers

CAUSEWAY_DEVICE void MbarrierInit(uint32_t barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}
CAUSEWAY_DEVICE void MbarrierInvalidate(uint32_t barrier) {
  asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(barrier) : "memory");
}
CAUSEWAY_DEVICE void MbarrierArrive(uint32_t barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}
CAUSEWAY_DEVICE void MbarrierArriveExpectTx(uint32_t barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
}
CAUSEWAY_DEVICE void MbarrierExpectTx(uint32_t barrier, int bytes) {
  asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
}
CAUSEWAY_DEVICE void MbarrierArriveRemote(uint32_t cluster_barrier) {
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(cluster_barrier)
               : "memory");
}
CAUSEWAY_DEVICE bool MbarrierTryWait(uint32_t barrier, uint32_t parity) {
  uint32_t complete;
  asm volatile(
      "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; "
      "}"
      : "=r"(complete)
      : "r"(barrier), "r"(parity)
      : "memory");
  return complete != 0;
}
CAUSEWAY_DEVICE void MbarrierWait(uint32_t barrier, uint32_t parity) {
  while (!MbarrierTryWait(barrier, parity)) {
  }
}
// As MbarrierWait, where arrivals or copies come from other blocks of the cluster.
CAUSEWAY_DEVICE void MbarrierWaitCluster(uint32_t barrier, uint32_t parity) {
  uint32_t complete;
  do {
    asm volatile(
        "{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2; "
        "selp.u32 %0, 1, 0, p; }"
        : "=r"(complete)
        : "r"(barrier), "r"(parity)
        : "memory");
  } while (complete == 0);
}
CAUSEWAY_DEVICE void FenceMbarrierInit() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
CAUSEWAY_DEVICE void FenceProxyAsync() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// ---- Bulk copies and TMA

CAUSEWAY_DEVICE void BulkCopy(uint32_t shared_destination, const void* global_source, int bytes,
                              uint32_t barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(shared_destination),
      "l"(__cvta_generic_to_global(global_source)), "r"(bytes), "r"(barrier)
      : "memory");
}
CAUSEWAY_DEVICE void BulkCopyMulticast(uint32_t shared_destination, const void* global_source,
                                       int bytes, uint32_t barrier, uint16_t block_mask) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], "
      "[%1], %2, [%3], %4;" ::"r"(shared_destination),
      "l"(__cvta_generic_to_global(global_source)), "r"(bytes), "r"(barrier), "h"(block_mask)
      : "memory");
}
CAUSEWAY_DEVICE void PrefetchBulk(const void* global_source, int bytes) {
  asm volatile(
      "cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(__cvta_generic_to_global(global_source)),
      "r"(bytes)
      : "memory");
}
CAUSEWAY_DEVICE void PrefetchTensorMap(const TensorMap* map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

// LoadTile, LoadTileMulticast and PrefetchTile of 1 to 5 coordinates, innermost first.
#define CAUSEWAY_LOAD_TILE(rank, parameters, names, after, ...)                                   \
  CAUSEWAY_DEVICE void LoadTile(uint32_t shared_destination, const TensorMap* map,                \
                                uint32_t barrier, CAUSEWAY_LIST parameters) {                     \
    asm volatile("cp.async.bulk.tensor." #rank                                                    \
                 "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {" names  \
                 "}], [%2];" ::"r"(shared_destination),                                           \
                 "l"(map), "r"(barrier), __VA_ARGS__                                              \
                 : "memory");                                                                     \
  }                                                                                               \
  CAUSEWAY_DEVICE void LoadTileMulticast(uint32_t shared_destination, const TensorMap* map,       \
                                         uint32_t barrier, uint16_t block_mask,                   \
                                         CAUSEWAY_LIST parameters) {                              \
    asm volatile("cp.async.bulk.tensor." #rank                                                    \
                 "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster " \
                 "[%0], [%1, {" names "}], [%2], " after ";" ::"r"(shared_destination),           \
                 "l"(map), "r"(barrier), __VA_ARGS__, "h"(block_mask)                             \
                 : "memory");                                                                     \
  }
#define CAUSEWAY_LIST(...) __VA_ARGS__
CAUSEWAY_LOAD_TILE(1, (int x), "%3", "%4", "r"(x))
CAUSEWAY_LOAD_TILE(2, (int x, int y), "%3, %4", "%5", "r"(x), "r"(y))
CAUSEWAY_LOAD_TILE(3, (int x, int y, int z), "%3, %4, %5", "%6", "r"(x), "r"(y), "r"(z))
CAUSEWAY_LOAD_TILE(4, (int x, int y, int z, int u), "%3, %4, %5, %6", "%7", "r"(x), "r"(y), "r"(z),
                   "r"(u))
CAUSEWAY_LOAD_TILE(5, (int x, int y, int z, int u, int v), "%3, %4, %5, %6, %7", "%8", "r"(x),
                   "r"(y), "r"(z), "r"(u), "r"(v))
#undef CAUSEWAY_LIST
#undef CAUSEWAY_LOAD_TILE

// ---- Around wgmma

CAUSEWAY_DEVICE void WgmmaFence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
CAUSEWAY_DEVICE void WgmmaCommit() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <int kPending>
CAUSEWAY_DEVICE void WgmmaWait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kPending) : "memory");
}
template <int kRegisters>
CAUSEWAY_DEVICE void RegistersIncrease() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kRegisters));
}
template <int kRegisters>
CAUSEWAY_DEVICE void RegistersDecrease() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kRegisters));
}

// ---- Clusters

CAUSEWAY_DEVICE int ClusterRank() {
  uint32_t rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return static_cast<int>(rank);
}
CAUSEWAY_DEVICE int ClusterBlocks() {
  uint32_t blocks;
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
  return static_cast<int>(blocks);
}
CAUSEWAY_DEVICE void ClusterArrive() {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}
CAUSEWAY_DEVICE void ClusterWait() {
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}
CAUSEWAY_DEVICE void ClusterSync() {
  ClusterArrive();
  ClusterWait();
}
CAUSEWAY_DEVICE uint32_t MapSharedRank(uint32_t address, int rank) {
  uint32_t mapped;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mapped) : "r"(address), "r"(rank));
  return mapped;
}
template <typename T>
CAUSEWAY_DEVICE T LoadSharedCluster(uint32_t cluster_address) {
  static_assert(sizeof(T) == 4 && std::is_trivially_copyable_v<T>);
  uint32_t word;
  asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(word) : "r"(cluster_address) : "memory");
  return *reinterpret_cast<const T*>(&word);
}
template <typename T>
CAUSEWAY_DEVICE void StoreSharedCluster(uint32_t cluster_address, T value) {
  static_assert(sizeof(T) == 4 && std::is_trivially_copyable_v<T>);
  asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(cluster_address),
               "r"(*reinterpret_cast<const uint32_t*>(&value))
               : "memory");
}

}  // namespace causeway::kernels
