// SPDX-License-Identifier: Apache-2.0
#include "kernels/simt/wgmma.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "kernels/simt/convergence.h"
#include "kernels/simt/machine.h"
#include "kernels/simt/wgmma_operands.h"

namespace causeway::kernels::simt {
namespace {

constexpr int kWarpRows = 16;
constexpr int kGroupWarps = 4;
constexpr uint32_t kPoisonBits = 0x7fbadbadu;  // a NaN that no arithmetic makes

struct IssueOperands {
  WgmmaElement element;
  int n;
  float* d;
  uint64_t a;
  uint64_t b;
  bool accumulate;
};

struct WaitOperands {
  int pending_groups;
  bool done;
};

WgmmaGroup& GroupOf(const Warp& warp) {
  return warp.block->warpgroups[static_cast<size_t>(warp.index / kGroupWarps)];
}

int AgentOf(const Machine& machine, const Warp& warp) {
  return machine.threads + kMaxMbarriers + warp.lanes[0].agent / 128;
}

int ReaderOf(const Machine& machine, const Warp& warp) {
  return machine.threads / kWarpLanes + warp.lanes[0].agent / 128;
}

Warp& WarpOfGroup(const Warp& warp, int index) {
  index += warp.index / kGroupWarps * kGroupWarps;
  return *warp.block->warps[static_cast<size_t>(index)];
}

// Register 4 j + i of lane l: row l / 4 (+ 8 for i >= 2), column 8 j + 2 (l % 4) + i % 2.
template <typename Visitor>
void ForEachRegister(int n, const Visitor& visit) {
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    for (int i = 0; i < n / 2; ++i) {
      const int row = lane / 4 + i % 4 / 2 * 8;
      visit(lane, i, row * n + i / 4 * 8 + lane % 4 * 2 + i % 2);
    }
  }
}

size_t FindOrTakeSet(Machine& machine, Warp& warp, const Site& site) {
  std::vector<WgmmaAccumulators>& sets = warp.wgmma.accumulators;
  const auto operands = [&warp](int lane) -> IssueOperands& {
    return *static_cast<IssueOperands*>(warp.gathering.argument[lane]);
  };
  const int n = operands(0).n;
  size_t free = sets.size();
  for (size_t i = 0; i < sets.size(); ++i) {
    if (sets[i].pending == 0) {
      free = i;
    } else if (sets[i].registers[0] == operands(0).d) {
      if (sets[i].n == n) return i;
      machine.FailAt(FailureKind::kAccumulatorInFlight, site,
                     "wgmma of another shape on accumulators that are in flight");
    }
  }
  if (!warp.wgmma.fenced) {
    machine.FailAt(FailureKind::kMissingWgmmaFence, site,
                   "wgmma on accumulators that the warp could touch since its last wgmma.fence");
  }
  if (free == sets.size()) sets.emplace_back();
  WgmmaAccumulators& set = sets[free];
  set.n = n;
  set.values.resize(kWarpRows * static_cast<size_t>(n));
  for (int lane = 0; lane < kWarpLanes; ++lane) set.registers[lane] = operands(lane).d;
  ForEachRegister(n, [&set](int lane, int i, int at) {
    set.values[static_cast<size_t>(at)] =
        std::exchange(set.registers[lane][i], std::bit_cast<float>(kPoisonBits));
  });
  return free;
}

void Multiply(Warp& warp, const WgmmaOperation& operation, const Site& site) {
  const SharedMemory& shared = warp.block->shared;
  const int warp_in_group = warp.index % kGroupWarps;
  WgmmaAccumulators& set = warp.wgmma.accumulators[operation.accumulators[warp_in_group]];
  const auto n = static_cast<size_t>(operation.n);
  const int depth = WgmmaDepth(operation.element);
  const auto steps = static_cast<size_t>(depth);
  thread_local std::vector<float> a;
  thread_local std::vector<float> b;
  a.resize(kWarpRows * steps);
  b.resize(n * steps);
  DecodeRows(operation.element, ParseDescriptor(operation.a, site), shared,
             warp_in_group * kWarpRows, kWarpRows, a.data(), depth, 1);
  DecodeRows(operation.element, ParseDescriptor(operation.b, site), shared, 0, operation.n,
             b.data(), 1, operation.n);
  if (!operation.accumulate) std::fill(set.values.begin(), set.values.end(), 0.0f);
  for (size_t row = 0; row < kWarpRows; ++row) {
    float* sums = set.values.data() + row * n;
    for (size_t k = 0; k < steps; ++k) {
      const float factor = a[row * steps + k];
      const float* column = b.data() + k * n;
      for (size_t i = 0; i < n; ++i) sums[i] += factor * column[i];
    }
  }
}

// In order: later operations may use the sums of earlier ones.
void ExecuteUpTo(Warp& warp, int64_t end, const Site& site) {
  WgmmaGroup& group = GroupOf(warp);
  for (int64_t& at = warp.wgmma.executed; at < end; ++at) {
    Multiply(warp, group.operations[static_cast<size_t>(at)], site);
  }
}

void StampReads(Warp& warp, const WgmmaOperation& operation, int reader, Clock clock,
                const Site& site) {
  SharedMemory& shared = warp.block->shared;
  const auto stamp = [&](int64_t offset, int64_t bytes) {
    shared.StampRead(offset, bytes, reader, clock);
  };
  ForEachPart(ParseDescriptor(operation.a, site), 0, kGroupWarps * kWarpRows, stamp);
  ForEachPart(ParseDescriptor(operation.b, site), 0, operation.n, stamp);
}

bool CompleteIssue(Machine& machine, Warp& warp) {
  const Site site = warp.gathering.site;
  const auto& operands = *static_cast<IssueOperands*>(warp.gathering.argument[0]);
  for (void* argument : warp.gathering.argument) {
    const auto& other = *static_cast<IssueOperands*>(argument);
    if (other.a != operands.a || other.b != operands.b || other.accumulate != operands.accumulate) {
      machine.FailAt(FailureKind::kDivergentCollective, site,
                     "the lanes of a warp give wgmma different descriptors");
    }
  }
  WgmmaGroup& group = GroupOf(warp);
  WgmmaWarp& state = warp.wgmma;
  const int warp_in_group = warp.index % kGroupWarps;
  const auto at = static_cast<size_t>(state.issued);
  const bool first = at == group.operations.size();
  if (first) {
    group.operations.push_back(
        {operands.element, operands.n, operands.a, operands.b, operands.accumulate});
  }
  WgmmaOperation& operation = group.operations[at];
  if (operation.a != operands.a || operation.b != operands.b || operation.n != operands.n ||
      operation.element != operands.element || operation.accumulate != operands.accumulate) {
    machine.FailAt(FailureKind::kDivergentCollective, site,
                   "the warps of a warpgroup issue different wgmma instructions");
  }
  Thread& thread = CurrentThread();
  const auto check = [&](int64_t offset, int64_t bytes) {
    warp.block->shared.CheckAsyncRead(thread, offset, bytes, "wgmma", site);
  };
  ForEachPart(ParseDescriptor(operation.a, site), warp_in_group * kWarpRows, kWarpRows, check);
  ForEachPart(ParseDescriptor(operation.b, site), 0, operation.n, check);
  operation.accumulators[warp_in_group] = FindOrTakeSet(machine, warp, site);
  ++state.accumulators[operation.accumulators[warp_in_group]].pending;
  operation.group[warp_in_group] = state.committed;
  ++operation.issued;
  ++state.issued;
  ++machine.matrix_products;
  if (operation.issued == kGroupWarps) {
    // Only now are all of A and B known to be readable.
    StampReads(warp, operation, ReaderOf(machine, warp), kInFlight, site);
    for (Warp* waiting : std::exchange(group.waiting, {})) machine.WakeWarp(*waiting);
  }
  const AsyncCompletion async = machine.options.async;
  if (async == AsyncCompletion::kEarliest ||
      (async == AsyncCompletion::kRandom && machine.random.Below(2) == 0)) {
    ExecuteUpTo(warp, state.issued, site);
  }
  return true;
}

// The accumulators of the operations up to `end` belong to the warp's registers again.
void Retire(Machine& machine, Warp& warp, int64_t end, const Site& site) {
  WgmmaGroup& group = GroupOf(warp);
  WgmmaWarp& state = warp.wgmma;
  for (; state.waited < end; ++state.waited) {
    const WgmmaOperation& operation = group.operations[static_cast<size_t>(state.waited)];
    WgmmaAccumulators& set = state.accumulators[operation.accumulators[warp.index % kGroupWarps]];
    if (--set.pending > 0) continue;
    state.fenced = false;
    ForEachRegister(set.n, [&](int lane, int i, int at) {
      float& value = set.registers[lane][i];
      if (std::bit_cast<uint32_t>(value) != kPoisonBits) {
        machine.FailAt(FailureKind::kAccumulatorInFlight, site,
                       "lane " + std::to_string(lane) + " wrote accumulator " + std::to_string(i) +
                           " while wgmma was using it");
      }
      value = set.values[static_cast<size_t>(at)];
    });
  }
}

// The first operations up to `end` no longer read shared memory.
void Finish(Machine& machine, Warp& warp, int64_t end, const Site& site) {
  WgmmaGroup& group = GroupOf(warp);
  if (group.finished >= end) return;
  const int reader = ReaderOf(machine, warp);
  for (int i = 0; i < kGroupWarps; ++i) ExecuteUpTo(WarpOfGroup(warp, i), end, site);
  const Clock clock = machine.NextClock();
  for (int64_t at = group.finished; at < end; ++at) {
    StampReads(warp, group.operations[static_cast<size_t>(at)], reader, clock, site);
  }
  group.finished = end;
  // What later operations read as well, they still read.
  for (auto at = static_cast<size_t>(end); at < group.operations.size(); ++at) {
    if (group.operations[at].issued < kGroupWarps) continue;
    StampReads(warp, group.operations[at], reader, kInFlight, site);
  }
}

void ForgetFinished(Warp& warp) {
  WgmmaGroup& group = GroupOf(warp);
  const auto count = static_cast<int64_t>(group.operations.size());
  for (int i = 0; i < kGroupWarps; ++i) {
    if (WarpOfGroup(warp, i).wgmma.waited != count) return;
  }
  for (int i = 0; i < kGroupWarps; ++i) {
    WgmmaWarp& state = WarpOfGroup(warp, i).wgmma;
    state.issued = state.executed = state.waited = 0;
  }
  group.operations.clear();
  group.finished = 0;
}

bool CompleteWait(Machine& machine, Warp& warp) {
  const Site site = warp.gathering.site;
  WgmmaGroup& group = GroupOf(warp);
  WgmmaWarp& state = warp.wgmma;
  const int pending_groups = static_cast<WaitOperands*>(warp.gathering.argument[0])->pending_groups;
  int64_t end = state.waited;
  while (end < state.issued) {
    const WgmmaOperation& operation = group.operations[static_cast<size_t>(end)];
    if (operation.group[warp.index % kGroupWarps] >= state.committed - pending_groups) break;
    if (operation.issued < kGroupWarps) {
      group.waiting.push_back(&warp);
      return false;
    }
    ++end;
  }
  Finish(machine, warp, end, site);
  Retire(machine, warp, end, site);
  warp.seen.Learn(AgentOf(machine, warp), machine.clock, machine.agents);
  ForgetFinished(warp);
  for (void* argument : warp.gathering.argument) static_cast<WaitOperands*>(argument)->done = true;
  return true;
}

}  // namespace

void IssueWgmma(WgmmaElement element, int n, float* d, uint64_t a, uint64_t b, bool accumulate,
                const Site& site) {
  const Warp& warp = *CurrentThread().warp;
  if (warp.index / kGroupWarps * kGroupWarps + kGroupWarps >
      static_cast<int>(warp.block->warps.size())) {
    current_machine->FailAt(FailureKind::kInvalidOperand, site,
                            "wgmma in a block without four warps from a multiple of four");
  }
  IssueOperands operands = {element, n, d, a, b, accumulate};
  Gather("wgmma.mma_async", Alignment::kAligned, site, &operands, &CompleteIssue);
}

void FenceWgmma(const Site& site) {
  Gather("wgmma.fence", Alignment::kAligned, site, nullptr, [](Machine&, Warp& warp) {
    warp.wgmma.fenced = true;
    return true;
  });
}

void CommitWgmma(const Site& site) {
  Gather("wgmma.commit_group", Alignment::kAligned, site, nullptr, [](Machine&, Warp& warp) {
    ++warp.wgmma.committed;
    return true;
  });
}

void WaitWgmma(int pending_groups, const Site& site) {
  WaitOperands operands = {pending_groups, false};
  while (!operands.done) {
    Gather("wgmma.wait_group", Alignment::kAligned, site, &operands, &CompleteWait);
  }
}

void CheckWgmmaAtExit(Machine& machine, Warp& warp) {
  if (warp.wgmma.waited == warp.wgmma.issued) return;
  machine.Fail(FailureKind::kAccumulatorInFlight,
               "the thread returns before a wgmma that it issued is complete");
}

}  // namespace causeway::kernels::simt
