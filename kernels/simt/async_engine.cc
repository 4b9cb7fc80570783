// SPDX-License-Identifier: Apache-2.0
#include "kernels/simt/async_engine.h"

#include <algorithm>
#include <string>
#include <utility>

#include "kernels/simt/global_memory.h"
#include "kernels/simt/machine.h"
#include "kernels/simt/shared_address.h"

namespace causeway::kernels::simt {
namespace {

// Within a pattern of 1,024 bytes, 16-byte chunk c of 128-byte row r lies at chunk c ^ (r % 8).
int64_t Swizzled(int64_t address) { return address ^ ((address >> 3) & 0x70); }

/// The box in the order of shared memory: offsets are from the operation's destination.
std::vector<std::byte> Gather(const BulkOperation& operation) {
  std::vector<std::byte> box(static_cast<size_t>(operation.bytes));
  const TensorMap& map = *operation.map;
  const int64_t address = AddressOf(operation.offset);
  ForEachRun(
      map, operation.coordinates, [&](int64_t start, const std::byte* source, int64_t bytes) {
        for (int64_t i = 0; i < bytes; ++i) {
          const int64_t at =
              map.swizzle == Swizzle::kNone ? start + i : Swizzled(address + start + i) - address;
          box[static_cast<size_t>(at)] = source == nullptr ? std::byte{0} : source[i];
        }
      });
  return box;
}

/// Finds destinations and barriers, checks them, and marks the bytes as under way.
void Begin(BulkOperation& operation, uint32_t destination, uint32_t barrier, int block_mask,
           const char* what, const Site& site) {
  Machine& machine = *current_machine;
  Thread& thread = CurrentThread();
  operation.offset = OffsetOf(destination);
  const auto add = [&](uint32_t at, uint32_t barrier_at) {
    Block& block = machine.BlockOfAddress(at, thread, site);
    Mbarrier& mbarrier = VisibleMbarrier(barrier_at, site);
    if (mbarrier.block != &block) {
      machine.FailAt(FailureKind::kInvalidOperand, site,
                     std::string(what) + ": destination and mbarrier are in different blocks");
    }
    const WriteRecord& init = block.shared.RecordAt(mbarrier.offset);
    const Thread& initialiser = machine.thread_storage[init.agent];
    if (init.clock > std::max(initialiser.init_fence, initialiser.proxy_fence)) {
      machine.FailAt(FailureKind::kMissingProxyFence, site,
                     std::string(what) + " completes on the mbarrier at byte " +
                         std::to_string(mbarrier.offset) +
                         ", whose initialisation no fence.mbarrier_init follows");
    }
    block.shared.BeginWrite(thread, operation.offset, operation.bytes, mbarrier.agent, what, site);
    operation.destinations.push_back(&block);
    operation.barriers.push_back(&mbarrier);
  };
  if (block_mask < 0) {
    add(destination, barrier);
    return;
  }
  const int blocks = machine.options.cluster_blocks;
  if (block_mask == 0 || block_mask >> blocks != 0) {
    machine.FailAt(FailureKind::kInvalidOperand, site,
                   std::string(what) + ": block mask " + std::to_string(block_mask) +
                       " in a cluster of " + std::to_string(blocks));
  }
  for (int rank = 0; rank < blocks; ++rank) {
    if ((block_mask >> rank & 1) != 0) add(WithRank(destination, rank), WithRank(barrier, rank));
  }
}

}  // namespace

void AsyncEngine::Issue(Machine& machine, BulkOperation operation) {
  if (machine.options.async == AsyncCompletion::kEarliest) {
    Deliver(machine, operation);
    return;
  }
  pending_.push_back(std::move(operation));
}

void AsyncEngine::DeliverOne(Machine& machine) {
  const auto index = static_cast<size_t>(machine.random.Below(static_cast<int>(pending_.size())));
  const BulkOperation operation = std::move(pending_[index]);
  pending_.erase(pending_.begin() + static_cast<ptrdiff_t>(index));
  Deliver(machine, operation);
}

void AsyncEngine::Deliver(Machine& machine, const BulkOperation& operation) {
  std::vector<std::byte> box;
  const void* source = operation.source;
  if (operation.map != nullptr) {
    box = Gather(operation);
    source = box.data();
  }
  for (size_t i = 0; i < operation.destinations.size(); ++i) {
    SharedMemory& shared = operation.destinations[i]->shared;
    shared.Land(operation.offset, operation.bytes, source);
    shared.Stamp(operation.offset, operation.bytes, operation.barriers[i]->agent,
                 machine.NextClock());
    DeliverBytes(*operation.barriers[i], operation.bytes);
  }
}

void IssueBulkCopy(uint32_t destination, const void* source, int64_t bytes, uint32_t barrier,
                   int block_mask, const Site& site) {
  Machine& machine = *current_machine;
  machine.MaybePreempt(CurrentThread());
  if (bytes <= 0 || bytes % 16 != 0) {
    machine.FailAt(
        FailureKind::kInvalidOperand, site,
        "cp.async.bulk of " + std::to_string(bytes) + " bytes; allowed is a multiple of 16");
  }
  if (reinterpret_cast<uintptr_t>(source) % 16 != 0) {
    machine.FailAt(FailureKind::kMisaligned, site,
                   "cp.async.bulk from an address that is not a "
                   "multiple of 16");
  }
  if (!IsGlobalAccessAllowed(source, bytes, false)) {
    machine.FailAt(FailureKind::kOutOfRange, site, DescribeForbiddenAccess(source, bytes, false));
  }
  BulkOperation operation;
  operation.bytes = bytes;
  operation.source = source;
  Begin(operation, destination, barrier, block_mask, "cp.async.bulk", site);
  machine.async.Issue(machine, std::move(operation));
}

void IssueTileLoad(uint32_t destination, const TensorMap* map, uint32_t barrier, int block_mask,
                   const int (&coordinates)[5], int rank, const Site& site) {
  Machine& machine = *current_machine;
  machine.MaybePreempt(CurrentThread());
  if (map->rank != rank) {
    machine.FailAt(FailureKind::kInvalidOperand, site,
                   "a load of " + std::to_string(rank) + " coordinates from a tensor map of rank " +
                       std::to_string(map->rank));
  }
  const int64_t alignment = map->swizzle == Swizzle::kNone ? 128 : 1024;
  if (OffsetOf(destination) % alignment != 0) {
    machine.FailAt(FailureKind::kMisaligned, site,
                   "tiled load to byte " + std::to_string(OffsetOf(destination)) +
                       " of shared memory, which is not a multiple of " +
                       std::to_string(alignment));
  }
  BulkOperation operation;
  operation.bytes = map->BoxBytes();
  operation.map = map;
  std::copy(std::begin(coordinates), std::end(coordinates), std::begin(operation.coordinates));
  ForEachRun(*map, coordinates, [&](int64_t, const std::byte* source, int64_t bytes) {
    if (source != nullptr && !IsGlobalAccessAllowed(source, bytes, false)) {
      machine.FailAt(FailureKind::kOutOfRange, site, DescribeForbiddenAccess(source, bytes, false));
    }
  });
  Begin(operation, destination, barrier, block_mask, "tiled load", site);
  machine.async.Issue(machine, std::move(operation));
}

void CheckPrefetch(const void* source, int64_t bytes, const Site& site) {
  if (bytes % 16 == 0 && reinterpret_cast<uintptr_t>(source) % 16 == 0 &&
      IsGlobalAccessAllowed(source, bytes, false)) {
    return;
  }
  current_machine->FailAt(FailureKind::kOutOfRange, site,
                          "prefetch: " + DescribeForbiddenAccess(source, bytes, false));
}

void FenceAsyncProxy() {
  Machine& machine = *current_machine;
  Thread& thread = CurrentThread();
  thread.proxy_fence = thread.warp->clock;
  thread.warp->clock = machine.NextClock();
}

}  // namespace causeway::kernels::simt
