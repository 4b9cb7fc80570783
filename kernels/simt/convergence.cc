// SPDX-License-Identifier: Apache-2.0
#include "kernels/simt/convergence.h"

#include <string>
#include <utility>

#include "kernels/simt/machine.h"

namespace causeway::kernels::simt {
namespace {

void WakeAll(Machine& machine, std::vector<Warp*>& warps) {
  for (Warp* warp : std::exchange(warps, {})) machine.WakeWarp(*warp);
}

bool CompleteBlockBarrier(Machine& machine, Warp& warp) {
  machine.Converge(warp);
  NamedBarrier& barrier = warp.block->barriers[0];
  ++barrier.arrived;
  barrier.waiting.push_back(&warp);
  return ReleaseBlockBarrier(machine, *warp.block);
}

struct NamedBarrierOperands {
  int id;
  int threads;
  bool wait;
};

bool CompleteNamedBarrier(Machine& machine, Warp& warp) {
  const auto& operands = *static_cast<NamedBarrierOperands*>(warp.gathering.argument[0]);
  for (int lane = 1; lane < kWarpLanes; ++lane) {
    const auto& other = *static_cast<NamedBarrierOperands*>(warp.gathering.argument[lane]);
    if (other.id != operands.id || other.threads != operands.threads) {
      machine.FailAt(FailureKind::kDivergentCollective, warp.gathering.site,
                     "lanes 0 and " + std::to_string(lane) + " name different barriers");
    }
  }
  NamedBarrier& barrier = warp.block->barriers[operands.id];
  const std::string name = "barrier " + std::to_string(operands.id);
  if (barrier.arrived == 0) barrier.expected = operands.threads;
  if (barrier.expected != operands.threads) {
    machine.FailAt(FailureKind::kInvalidOperand, warp.gathering.site,
                   name + " of " + std::to_string(operands.threads) +
                       " threads, where others say " + std::to_string(barrier.expected));
  }
  const uint32_t bit = uint32_t{1} << warp.index;
  if ((barrier.warps & bit) != 0) {
    machine.FailAt(FailureKind::kOverArrival, warp.gathering.site,
                   "warp " + std::to_string(warp.index) + " arrives at " + name +
                       " again before it is complete");
  }
  machine.Converge(warp);
  machine.ReleaseWarp(warp, barrier.seen);
  barrier.warps |= bit;
  barrier.arrived += kWarpLanes;
  if (operands.wait) barrier.waiting.push_back(&warp);
  if (barrier.arrived < barrier.expected) return !operands.wait;
  const Knowledge seen = std::exchange(barrier.seen, {});
  for (Warp* each : barrier.waiting) {
    each->seen.Join(seen);
    if (each != &warp) machine.WakeWarp(*each);
  }
  barrier.waiting.clear();
  barrier.arrived = 0;
  barrier.warps = 0;
  return true;
}

struct ShuffleOperands {
  uint32_t value;
  int source_lane;
  uint32_t result;
};

struct BallotOperands {
  bool vote;
  uint32_t result;
};

}  // namespace

void Gather(const char* name, Alignment alignment, const Site& site, void* argument,
            bool (*complete)(Machine&, Warp&)) {
  Machine& machine = *current_machine;
  Thread& thread = CurrentThread();
  Warp& warp = *thread.warp;
  Gathering& gathering = warp.gathering;
  const int lane = thread.index % kWarpLanes;
  if (warp.exited != 0) {
    machine.FailAt(FailureKind::kDivergentCollective, site,
                   std::string(name) + " in a warp of which some threads have returned");
  }
  if (gathering.arrived == 0) {
    gathering.name = name;
    gathering.site = site;
  } else if (gathering.name != name ||
             (alignment == Alignment::kAligned &&
              (gathering.site.line != site.line || gathering.site.file != site.file))) {
    machine.FailAt(FailureKind::kDivergentCollective, site,
                   "lane " + std::to_string(lane) + " executes " + name + ", other lanes " +
                       gathering.name + " at " + Describe(gathering.site));
  }
  gathering.argument[lane] = argument;
  gathering.arrived |= uint32_t{1} << lane;
  if (gathering.arrived != kAllLanes) {
    machine.Suspend(thread, name, site);
    return;
  }
  gathering.arrived = 0;
  if (complete(machine, warp)) {
    warp.runnable = kAllLanes;
  } else {
    machine.Suspend(thread, name, site);
  }
}

bool ReleaseBlockBarrier(Machine& machine, Block& block) {
  NamedBarrier& barrier = block.barriers[0];
  if (barrier.arrived + block.exited_warps < static_cast<int>(block.warps.size())) return false;
  barrier.arrived = 0;
  for (Warp* warp : block.warps) {
    block.seen.Join(warp->seen);
    warp->seen.Clear();
  }
  block.synced = machine.clock;
  const Clock next = machine.NextClock();
  for (Warp* warp : block.warps) {
    warp->converged = block.synced;
    warp->clock = next;
  }
  WakeAll(machine, barrier.waiting);
  return true;
}

void SyncBlock(const Site& site) {
  Gather("bar.sync 0", Alignment::kAligned, site, nullptr, &CompleteBlockBarrier);
}

void SyncLanes(const Site& site) {
  Gather("bar.warp.sync", Alignment::kAny, site, nullptr, [](Machine& machine, Warp& warp) {
    machine.Converge(warp);
    return true;
  });
}

void SyncNamedBarrier(int id, int threads, bool wait, const Site& site) {
  Machine& machine = *current_machine;
  if (id < 1 || id >= kNamedBarriers) {
    machine.FailAt(FailureKind::kInvalidOperand, site,
                   "barrier " + std::to_string(id) + "; allowed are 1 to 15");
  }
  if (threads <= 0 || threads % kWarpLanes != 0 || threads > machine.options.block_threads) {
    machine.FailAt(FailureKind::kInvalidOperand, site,
                   "a barrier of " + std::to_string(threads) +
                       " threads; allowed is a multiple of 32 up to the block's");
  }
  NamedBarrierOperands operands = {id, threads, wait};
  Gather(wait ? "bar.sync" : "bar.arrive", Alignment::kAligned, site, &operands,
         &CompleteNamedBarrier);
}

uint32_t ShuffleWord(uint32_t value, int source_lane, const Site& site) {
  ShuffleOperands operands = {value, source_lane, 0};
  Gather("shfl.sync", Alignment::kAny, site, &operands, [](Machine&, Warp& warp) {
    for (void* argument : warp.gathering.argument) {
      auto& mine = *static_cast<ShuffleOperands*>(argument);
      // Source lanes wrap around, as the instruction's do.
      const int source = mine.source_lane & (kWarpLanes - 1);
      mine.result = static_cast<ShuffleOperands*>(warp.gathering.argument[source])->value;
    }
    return true;
  });
  return operands.result;
}

uint32_t BallotLanes(bool vote, const Site& site) {
  BallotOperands operands = {vote, 0};
  Gather("vote.sync", Alignment::kAny, site, &operands, [](Machine&, Warp& warp) {
    uint32_t votes = 0;
    for (int lane = 0; lane < kWarpLanes; ++lane) {
      const bool set = static_cast<BallotOperands*>(warp.gathering.argument[lane])->vote;
      votes |= static_cast<uint32_t>(set) << lane;
    }
    for (void* argument : warp.gathering.argument) {
      static_cast<BallotOperands*>(argument)->result = votes;
    }
    return true;
  });
  return operands.result;
}

void SetMaxRegisters(int registers, const Site& site) {
  if (registers < 24 || registers > 256 || registers % 8 != 0) {
    current_machine->FailAt(FailureKind::kInvalidOperand, site,
                            "setmaxnreg to " + std::to_string(registers) +
                                "; allowed are multiples of 8 from 24 to 256");
  }
  Gather("setmaxnreg", Alignment::kAligned, site, nullptr, [](Machine&, Warp&) { return true; });
}

void ArriveClusterBarrier(const Site& site) {
  Gather("barrier.cluster.arrive", Alignment::kAligned, site, nullptr,
         [](Machine& machine, Warp& warp) {
           auto& barrier = machine.cluster_barrier;
           if (warp.in_cluster_barrier) {
             machine.FailAt(FailureKind::kOverArrival, warp.gathering.site,
                            "warp " + std::to_string(warp.index) +
                                " arrives at the cluster's barrier again before it has waited");
           }
           machine.Converge(warp);
           machine.ReleaseWarp(warp, barrier.arriving);
           warp.in_cluster_barrier = true;
           warp.cluster_phase = barrier.phase;
           if (++barrier.arrived_warps < machine.threads / kWarpLanes) return true;
           barrier.arrived_warps = 0;
           ++barrier.phase;
           barrier.seen = std::exchange(barrier.arriving, {});
           WakeAll(machine, barrier.waiting);
           return true;
         });
}

void WaitClusterBarrier(const Site& site) {
  Gather("barrier.cluster.wait", Alignment::kAligned, site, nullptr,
         [](Machine& machine, Warp& warp) {
           auto& barrier = machine.cluster_barrier;
           if (!warp.in_cluster_barrier) {
             machine.FailAt(FailureKind::kInvalidOperand, warp.gathering.site,
                            "barrier.cluster.wait without an arrival before it");
           }
           if (barrier.phase > warp.cluster_phase) return true;
           barrier.waiting.push_back(&warp);
           return false;
         });
  // Once a warp: the lane that comes first does it for all.
  Warp& warp = *CurrentThread().warp;
  if (!warp.in_cluster_barrier) return;
  warp.in_cluster_barrier = false;
  warp.seen.Join(current_machine->cluster_barrier.seen);
}

}  // namespace causeway::kernels::simt
