// SPDX-License-Identifier: Apache-2.0
#include "kernels/simt/mbarrier.h"

#include <memory>
#include <string>
#include <utility>

#include "kernels/simt/machine.h"
#include "kernels/simt/shared_address.h"

namespace causeway::kernels::simt {
namespace {

constexpr int kMaxArrivals = (1 << 20) - 1;                   // PTX ISA: range of the pending count
constexpr int64_t kMaxTransactions = (int64_t{1} << 20) - 1;  // and of the transaction count

std::string Name(const Mbarrier& barrier) {
  return "the mbarrier at byte " + std::to_string(barrier.offset);
}

void CheckTransactions(const Mbarrier& barrier) {
  if (barrier.transactions > kMaxTransactions || barrier.transactions < -kMaxTransactions ||
      (barrier.pending == 0 && barrier.transactions < 0)) {
    current_machine->Fail(FailureKind::kTransactionCount,
                          Name(barrier) + " of phase " + std::to_string(barrier.phase) +
                              " has a transaction count of " +
                              std::to_string(barrier.transactions) +
                              ": copies delivered another number of bytes than was expected");
  }
}

void CompletePhaseIfDue(Mbarrier& barrier) {
  CheckTransactions(barrier);
  if (barrier.pending != 0 || barrier.transactions != 0) return;
  Machine& machine = *current_machine;
  barrier.arriving.Learn(barrier.agent, machine.NextClock(), machine.agents);
  barrier.complete = barrier.arriving;
  ++barrier.phase;
  barrier.pending = barrier.arrivals;
  const std::vector<Thread*> waiting = std::exchange(barrier.waiting, {});
  for (Thread* thread : waiting) machine.Wake(*thread);
}

Mbarrier& LiveMbarrier(uint32_t address, const Site& site) {
  Machine& machine = *current_machine;
  Thread& thread = CurrentThread();
  Block& block = machine.BlockOfAddress(address, thread, site);
  Mbarrier* barrier = block.shared.BarrierAt(OffsetOf(address));
  if (barrier == nullptr) {
    machine.FailAt(FailureKind::kInvalidOperand, site,
                   "there is no initialised mbarrier at byte " + std::to_string(OffsetOf(address)));
  }
  return *barrier;
}

}  // namespace

Mbarrier& VisibleMbarrier(uint32_t address, const Site& site) {
  Mbarrier& barrier = LiveMbarrier(address, site);
  barrier.block->shared.CheckBarrierVisible(CurrentThread(), barrier.offset, site);
  return barrier;
}

void InitMbarrier(uint32_t address, int arrivals, const Site& site) {
  Machine& machine = *current_machine;
  Thread& thread = CurrentThread();
  if (arrivals < 1 || arrivals > kMaxArrivals) {
    machine.FailAt(FailureKind::kInvalidOperand, site,
                   "mbarrier.init with " + std::to_string(arrivals) +
                       " arrivals; allowed are 1 to " + std::to_string(kMaxArrivals));
  }
  if (machine.mbarriers.size() == kMaxMbarriers) {
    machine.FailAt(FailureKind::kInvalidOperand, site,
                   "more than " + std::to_string(kMaxMbarriers) + " mbarriers in a cluster");
  }
  auto barrier = std::make_unique<Mbarrier>();
  barrier->block = thread.block;
  barrier->offset = OffsetOf(address);
  barrier->agent = machine.threads + static_cast<int>(machine.mbarriers.size());
  barrier->arrivals = arrivals;
  barrier->pending = arrivals;
  barrier->live = true;
  thread.block->shared.PlaceBarrier(thread, barrier->offset, barrier.get(), site);
  machine.mbarriers.push_back(std::move(barrier));
}

void InvalidateMbarrier(uint32_t address, const Site& site) {
  Mbarrier& barrier = VisibleMbarrier(address, site);
  barrier.live = false;
  barrier.block->shared.RemoveBarrier(barrier.offset);
}

void ArriveMbarrier(uint32_t address, int64_t expected_bytes, const Site& site) {
  Machine& machine = *current_machine;
  Thread& thread = CurrentThread();
  machine.MaybePreempt(thread);
  Mbarrier& barrier = VisibleMbarrier(address, site);
  if (barrier.pending == 0) {
    machine.FailAt(FailureKind::kOverArrival, site,
                   Name(barrier) + " has all its " + std::to_string(barrier.arrivals) +
                       " arrivals of phase " + std::to_string(barrier.phase) + " already");
  }
  barrier.transactions += expected_bytes;
  machine.Release(thread, barrier.arriving);
  --barrier.pending;
  CompletePhaseIfDue(barrier);
}

void ExpectMbarrier(uint32_t address, int64_t bytes, const Site& site) {
  Mbarrier& barrier = VisibleMbarrier(address, site);
  barrier.transactions += bytes;
  CheckTransactions(barrier);
}

bool TryWaitMbarrier(uint32_t address, uint32_t parity, const Site& site) {
  Machine& machine = *current_machine;
  Thread& thread = CurrentThread();
  machine.MaybePreempt(thread);
  Mbarrier& barrier = VisibleMbarrier(address, site);
  if ((static_cast<uint32_t>(barrier.phase) & 1u) == parity) {
    // The instruction may return for no reason; mostly it does not.
    if (machine.random.Below(8) == 0) return false;
    barrier.waiting.push_back(&thread);
    machine.Suspend(thread, "mbarrier.try_wait", site);
    if ((static_cast<uint32_t>(barrier.phase) & 1u) == parity) return false;
  }
  machine.Acquire(thread, barrier.complete);
  return true;
}

void WaitMbarrier(uint32_t address, uint32_t parity, const Site& site) {
  while (!TryWaitMbarrier(address, parity, site)) {
  }
}

void FenceMbarrierInits() {
  Machine& machine = *current_machine;
  Thread& thread = CurrentThread();
  thread.init_fence = thread.warp->clock;
  thread.warp->clock = machine.NextClock();
}

void DeliverBytes(Mbarrier& barrier, int64_t bytes) {
  if (!barrier.live) {
    current_machine->Fail(FailureKind::kInvalidOperand,
                          Name(barrier) + " was invalidated while a copy was under way");
  }
  barrier.transactions -= bytes;
  CompletePhaseIfDue(barrier);
}

}  // namespace causeway::kernels::simt
