// SPDX-License-Identifier: Apache-2.0
// Copies by the async proxy (bulk and tiled) that have been issued and have not been delivered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/simt/tensor_map.h"
#include "kernels/simt/thread_context.h"

namespace causeway::kernels::simt {

class Machine;
struct Mbarrier;
struct Block;

struct BulkOperation {
  std::vector<Block*> destinations;
  std::vector<Mbarrier*> barriers;  // one a destination
  int64_t offset = 0;               // the same in each
  int64_t bytes = 0;
  const void* source = nullptr;  // contiguous; null: a box of `map`
  const TensorMap* map = nullptr;
  int coordinates[5] = {};
};

class AsyncEngine {
 public:
  void Clear() { pending_.clear(); }
  bool Idle() const { return pending_.empty(); }
  size_t Pending() const { return pending_.size(); }

  /// Delivers at once where the launch's policy is the earliest, else keeps it.
  void Issue(Machine& machine, BulkOperation operation);
  /// Delivers one of those that are pending, any.
  void DeliverOne(Machine& machine);

 private:
  static void Deliver(Machine& machine, const BulkOperation& operation);

  std::vector<BulkOperation> pending_;
};

// The operations of the primitives: BulkCopy, LoadTile and their multicast forms (block_mask < 0:
// to this block alone).
void IssueBulkCopy(uint32_t destination, const void* source, int64_t bytes, uint32_t barrier,
                   int block_mask, const Site& site);
void IssueTileLoad(uint32_t destination, const TensorMap* map, uint32_t barrier, int block_mask,
                   const int (&coordinates)[5], int rank, const Site& site);
void CheckPrefetch(const void* source, int64_t bytes, const Site& site);
void FenceAsyncProxy();

}  // namespace causeway::kernels::simt
