// SPDX-License-Identifier: Apache-2.0
// How simt numbers shared memory. A block's own addresses start at kSharedBase, so that 0 is none;
// mapped to a rank of the cluster they carry that rank in their upper bits.
#pragma once

#include <cstdint>

namespace causeway::kernels::simt {

inline constexpr uint32_t kSharedBase = 1024;
inline constexpr uint32_t kRankShift = 24;

/// Offset from the start of the block's shared memory; negative below it.
inline int64_t OffsetOf(uint32_t address) {
  return static_cast<int64_t>(address & ((1u << kRankShift) - 1)) - kSharedBase;
}
inline uint32_t AddressOf(int64_t offset) { return static_cast<uint32_t>(offset) + kSharedBase; }
/// Rank the address was mapped to; -1 for the block's own.
inline int RankOf(uint32_t address) { return static_cast<int>(address >> kRankShift) - 1; }
inline uint32_t WithRank(uint32_t address, int rank) {
  return (address & ((1u << kRankShift) - 1)) | (static_cast<uint32_t>(rank + 1) << kRankShift);
}

}  // namespace causeway::kernels::simt
