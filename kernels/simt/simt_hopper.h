// SPDX-License-Identifier: Apache-2.0
// The host body of the primitives that sm_90 adds. Contracts: kernels/primitives/README.md.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/simt/async_engine.h"
#include "kernels/simt/convergence.h"
#include "kernels/simt/mbarrier.h"
#include "kernels/simt/memory_operations.h"
#include "kernels/simt/tensor_map.h"
#include "kernels/simt/thread_context.h"
#include "kernels/simt/wgmma.h"

namespace causeway::kernels {

// ---- mbarriers

inline void MbarrierInit(uint32_t barrier, int arrivals, simt::Site site = simt::Site::Current()) {
  simt::InitMbarrier(barrier, arrivals, site);
}
inline void MbarrierInvalidate(uint32_t barrier, simt::Site site = simt::Site::Current()) {
  simt::InvalidateMbarrier(barrier, site);
}
inline void MbarrierArrive(uint32_t barrier, simt::Site site = simt::Site::Current()) {
  simt::ArriveMbarrier(barrier, 0, site);
}
inline void MbarrierArriveExpectTx(uint32_t barrier, int bytes,
                                   simt::Site site = simt::Site::Current()) {
  simt::ArriveMbarrier(barrier, bytes, site);
}
inline void MbarrierExpectTx(uint32_t barrier, int bytes, simt::Site site = simt::Site::Current()) {
  simt::ExpectMbarrier(barrier, bytes, site);
}
inline void MbarrierArriveRemote(uint32_t cluster_barrier,
                                 simt::Site site = simt::Site::Current()) {
  simt::ArriveMbarrier(cluster_barrier, 0, site);
}
inline bool MbarrierTryWait(uint32_t barrier, uint32_t parity,
                            simt::Site site = simt::Site::Current()) {
  return simt::TryWaitMbarrier(barrier, parity, site);
}
inline void MbarrierWait(uint32_t barrier, uint32_t parity,
                         simt::Site site = simt::Site::Current()) {
  simt::WaitMbarrier(barrier, parity, site);
}
inline void MbarrierWaitCluster(uint32_t barrier, uint32_t parity,
                                simt::Site site = simt::Site::Current()) {
  simt::WaitMbarrier(barrier, parity, site);
}
inline void FenceMbarrierInit() { simt::FenceMbarrierInits(); }
inline void FenceProxyAsync() { simt::FenceAsyncProxy(); }

// ---- Bulk copies and TMA

inline void BulkCopy(uint32_t shared_destination, const void* global_source, int bytes,
                     uint32_t barrier, simt::Site site = simt::Site::Current()) {
  simt::IssueBulkCopy(shared_destination, global_source, bytes, barrier, -1, site);
}
inline void BulkCopyMulticast(uint32_t shared_destination, const void* global_source, int bytes,
                              uint32_t barrier, uint16_t block_mask,
                              simt::Site site = simt::Site::Current()) {
  simt::IssueBulkCopy(shared_destination, global_source, bytes, barrier, block_mask, site);
}
inline void PrefetchBulk(const void* global_source, int bytes,
                         simt::Site site = simt::Site::Current()) {
  simt::CheckPrefetch(global_source, bytes, site);
}
inline void PrefetchTensorMap(const TensorMap*) {}

inline void LoadTile(uint32_t shared_destination, const TensorMap* map, uint32_t barrier, int x,
                     simt::Site site = simt::Site::Current()) {
  simt::IssueTileLoad(shared_destination, map, barrier, -1, {x}, 1, site);
}
inline void LoadTile(uint32_t shared_destination, const TensorMap* map, uint32_t barrier, int x,
                     int y, simt::Site site = simt::Site::Current()) {
  simt::IssueTileLoad(shared_destination, map, barrier, -1, {x, y}, 2, site);
}
inline void LoadTile(uint32_t shared_destination, const TensorMap* map, uint32_t barrier, int x,
                     int y, int z, simt::Site site = simt::Site::Current()) {
  simt::IssueTileLoad(shared_destination, map, barrier, -1, {x, y, z}, 3, site);
}
inline void LoadTile(uint32_t shared_destination, const TensorMap* map, uint32_t barrier, int x,
                     int y, int z, int u, simt::Site site = simt::Site::Current()) {
  simt::IssueTileLoad(shared_destination, map, barrier, -1, {x, y, z, u}, 4, site);
}
inline void LoadTile(uint32_t shared_destination, const TensorMap* map, uint32_t barrier, int x,
                     int y, int z, int u, int v, simt::Site site = simt::Site::Current()) {
  simt::IssueTileLoad(shared_destination, map, barrier, -1, {x, y, z, u, v}, 5, site);
}
inline void LoadTileMulticast(uint32_t shared_destination, const TensorMap* map, uint32_t barrier,
                              uint16_t block_mask, int x, simt::Site site = simt::Site::Current()) {
  simt::IssueTileLoad(shared_destination, map, barrier, block_mask, {x}, 1, site);
}
inline void LoadTileMulticast(uint32_t shared_destination, const TensorMap* map, uint32_t barrier,
                              uint16_t block_mask, int x, int y,
                              simt::Site site = simt::Site::Current()) {
  simt::IssueTileLoad(shared_destination, map, barrier, block_mask, {x, y}, 2, site);
}
inline void LoadTileMulticast(uint32_t shared_destination, const TensorMap* map, uint32_t barrier,
                              uint16_t block_mask, int x, int y, int z,
                              simt::Site site = simt::Site::Current()) {
  simt::IssueTileLoad(shared_destination, map, barrier, block_mask, {x, y, z}, 3, site);
}
inline void LoadTileMulticast(uint32_t shared_destination, const TensorMap* map, uint32_t barrier,
                              uint16_t block_mask, int x, int y, int z, int u,
                              simt::Site site = simt::Site::Current()) {
  simt::IssueTileLoad(shared_destination, map, barrier, block_mask, {x, y, z, u}, 4, site);
}
inline void LoadTileMulticast(uint32_t shared_destination, const TensorMap* map, uint32_t barrier,
                              uint16_t block_mask, int x, int y, int z, int u, int v,
                              simt::Site site = simt::Site::Current()) {
  simt::IssueTileLoad(shared_destination, map, barrier, block_mask, {x, y, z, u, v}, 5, site);
}

// ---- wgmma

inline void WgmmaFence(simt::Site site = simt::Site::Current()) { simt::FenceWgmma(site); }
inline void WgmmaCommit(simt::Site site = simt::Site::Current()) { simt::CommitWgmma(site); }
template <int kPending>
void WgmmaWait(simt::Site site = simt::Site::Current()) {
  static_assert(kPending >= 0 && kPending <= 7);
  simt::WaitWgmma(kPending, site);
}
template <typename Element, int kN>
void Wgmma(float (&d)[kN / 2], uint64_t a_descriptor, uint64_t b_descriptor, bool accumulate,
           simt::Site site = simt::Site::Current()) {
  static_assert(kN >= 8 && kN <= 256 && kN % 8 == 0);
  simt::IssueWgmma(simt::WgmmaElementOf<Element>(), kN, d, a_descriptor, b_descriptor, accumulate,
                   site);
}
template <int kRegisters>
void RegistersIncrease(simt::Site site = simt::Site::Current()) {
  simt::SetMaxRegisters(kRegisters, site);
}
template <int kRegisters>
void RegistersDecrease(simt::Site site = simt::Site::Current()) {
  simt::SetMaxRegisters(kRegisters, site);
}

// ---- Clusters

inline int ClusterRank() { return simt::RankInCluster(); }
inline int ClusterBlocks() { return simt::BlocksInCluster(); }
inline void ClusterArrive(simt::Site site = simt::Site::Current()) {
  simt::ArriveClusterBarrier(site);
}
inline void ClusterWait(simt::Site site = simt::Site::Current()) { simt::WaitClusterBarrier(site); }
inline void ClusterSync(simt::Site site = simt::Site::Current()) {
  ClusterArrive(site);
  ClusterWait(site);
}
inline uint32_t MapSharedRank(uint32_t address, int rank, simt::Site site = simt::Site::Current()) {
  return simt::MapToRank(address, rank, site);
}
template <typename T>
T LoadSharedCluster(uint32_t cluster_address, simt::Site site = simt::Site::Current()) {
  static_assert(sizeof(T) == 4 && std::is_trivially_copyable_v<T>);
  T value;
  simt::LoadSharedBytes(cluster_address, sizeof(T), &value, site);
  return value;
}
template <typename T>
void StoreSharedCluster(uint32_t cluster_address, T value,
                        simt::Site site = simt::Site::Current()) {
  static_assert(sizeof(T) == 4 && std::is_trivially_copyable_v<T>);
  simt::StoreSharedBytes(cluster_address, sizeof(T), &value, site);
}

}  // namespace causeway::kernels
