// SPDX-License-Identifier: Apache-2.0
// Which warp runs next, cluster after cluster, and what is said when none can.
#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "kernels/simt/machine.h"

namespace causeway::kernels::simt {
namespace {

constexpr int kMaxBlockThreads = 1024;
constexpr int kMaxClusterBlocks = 16;
constexpr int64_t kMaxDynamicShared = int64_t{227} * 1024;

void Require(bool condition, const char* field, int64_t got, const char* allowed) {
  if (condition) return;
  throw std::invalid_argument(std::string("launch: ") + field + " is " + std::to_string(got) +
                              "; allowed: " + allowed);
}

void CheckOptions(const LaunchOptions& options) {
  Require(options.block_threads >= kWarpLanes && options.block_threads % kWarpLanes == 0 &&
              options.block_threads <= kMaxBlockThreads,
          "block_threads", options.block_threads, "multiples of 32 up to 1024");
  Require(options.cluster_blocks >= 1 && options.cluster_blocks <= kMaxClusterBlocks,
          "cluster_blocks", options.cluster_blocks, "1 to 16");
  Require(options.grid_blocks >= 1 && options.grid_blocks % options.cluster_blocks == 0,
          "grid_blocks", options.grid_blocks, "multiples of cluster_blocks from 1");
  Require(options.dynamic_shared_bytes >= 0 && options.dynamic_shared_bytes <= kMaxDynamicShared,
          "dynamic_shared_bytes", options.dynamic_shared_bytes, "0 to 232448");
  Require(current_machine == nullptr, "launches in progress", 1, "0");
}

/// Lanes as ranges: "0-15,31".
std::string Ranges(uint32_t lanes) {
  std::string text;
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    if ((lanes >> lane & 1) == 0) continue;
    int last = lane;
    while (last + 1 < kWarpLanes && (lanes >> (last + 1) & 1) != 0) ++last;
    if (!text.empty()) text += ",";
    text += std::to_string(lane);
    if (last > lane) text += "-" + std::to_string(last);
    lane = last;
  }
  return text;
}

void DescribeWarp(const Warp& warp, std::string& text) {
  uint32_t described = warp.exited;
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    if ((described >> lane & 1) != 0) continue;
    const Thread& thread = warp.lanes[lane];
    uint32_t same = 0;
    for (int other = lane; other < kWarpLanes; ++other) {
      const Thread& candidate = warp.lanes[other];
      if ((described >> other & 1) == 0 && candidate.waits_in == thread.waits_in &&
          candidate.waits_at.line == thread.waits_at.line) {
        same |= uint32_t{1} << other;
      }
    }
    described |= same;
    text += "\n  block " + std::to_string(thread.block_index) + " warp " +
            std::to_string(warp.index) + " lanes " + Ranges(same) + " wait in " + thread.waits_in +
            " at " + Describe(thread.waits_at);
  }
}

}  // namespace

std::string LaunchReport::Text() const {
  if (!failure) return "ok";
  return std::string(FailureName(failure->kind)) + ": " + failure->text;
}

LaunchReport Launch(const LaunchOptions& options, const std::function<void()>& body) {
  CheckOptions(options);
  Machine machine(options, body);
  current_machine = &machine;
  struct Reset {
    ~Reset() {
      current_machine = nullptr;
      current_thread = nullptr;
    }
  } reset;
  return machine.Run();
}

LaunchReport LaunchOrThrow(const LaunchOptions& options, const std::function<void()>& body) {
  LaunchReport report = Launch(options, body);
  if (report.failure) throw SimtError(*report.failure);
  return report;
}

LaunchReport Machine::Run() {
  std::vector<int> order(static_cast<size_t>(options.grid_blocks / options.cluster_blocks));
  std::iota(order.begin(), order.end(), 0);
  for (size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1], order[static_cast<size_t>(random.Below(static_cast<int>(i)))]);
  }
  for (const int cluster : order) {
    ResetCluster(cluster * options.cluster_blocks);
    RunCluster();
    if (aborting_) break;
  }
  if (exception_) std::rethrow_exception(exception_);
  LaunchReport report;
  report.failure = failure_;
  report.switches = switches;
  report.matrix_products = matrix_products;
  return report;
}

void Machine::ResetCluster(int first_block) {
  clock = 1;
  async.Clear();
  mbarriers.clear();
  cluster_barrier = {};
  const int block_warps = options.block_threads / kWarpLanes;
  const int readers = agents - threads - kMaxMbarriers + threads / kWarpLanes;
  for (int rank = 0; rank < options.cluster_blocks; ++rank) {
    Block& block = *blocks[static_cast<size_t>(rank)];
    block.index = first_block + rank;
    block.rank = rank;
    block.shared.Reset(this, &block, options.dynamic_shared_bytes, readers);
    block.warps.clear();
    block.exited_warps = 0;
    for (NamedBarrier& barrier : block.barriers) barrier = {};
    block.synced = 0;
    block.seen.Clear();
    block.warpgroups = std::vector<WgmmaGroup>(static_cast<size_t>((block_warps + 3) / 4));
    for (int i = 0; i < block_warps; ++i) {
      const int index = rank * block_warps + i;  // in the cluster
      Warp& warp = warp_storage[static_cast<size_t>(index)];
      warp = Warp{};
      warp.index = i;
      warp.block = &block;
      warp.lanes = &thread_storage[static_cast<size_t>(index) * kWarpLanes];
      warp.runnable = kAllLanes;
      warp.clock = 1;
      block.warps.push_back(&warp);
    }
  }
  for (int i = 0; i < threads; ++i) {
    Thread& thread = thread_storage[static_cast<size_t>(i)];
    const int rank = i / options.block_threads;
    thread.index = i % options.block_threads;
    thread.block_index = first_block + rank;
    thread.grid_blocks = options.grid_blocks;
    thread.block_threads = options.block_threads;
    thread.agent = i;
    thread.warp = &warp_storage[static_cast<size_t>(i / kWarpLanes)];
    thread.block = blocks[static_cast<size_t>(rank)].get();
    thread.started = false;
    thread.finished = false;
    thread.waits_in = "nothing";
    thread.waits_at = {};
    thread.seen.Clear();
    thread.proxy_fence = 0;
    thread.init_fence = 0;
    thread.copies.clear();
    thread.first_copy = 0;
    thread.copy_group = 0;
    thread.fiber.Start(stacks_->Stack(i), stacks_->StackBytes(i), &Machine::ThreadMain);
  }
}

void Machine::RunCluster() {
  unfinished_ = threads;
  ready_.clear();
  for (Warp& warp : warp_storage) {
    warp.queued = true;
    ready_.push_back(&warp);
  }
  const bool deliver_early = options.async == AsyncCompletion::kRandom;
  try {
    while (unfinished_ > 0 && !aborting_) {
      if (!async.Idle() && (ready_.empty() || (deliver_early && random.Below(3) == 0))) {
        async.DeliverOne(*this);
        continue;
      }
      if (ready_.empty()) Fail(FailureKind::kDeadlock, DescribeDeadlock());
      const auto pick = static_cast<size_t>(random.Below(static_cast<int>(ready_.size())));
      Warp& warp = *ready_[pick];
      ready_[pick] = ready_.back();
      ready_.pop_back();
      RunWarp(warp);
    }
    if (!aborting_ && !async.Idle()) {
      Fail(FailureKind::kUnfinishedCopy, "all threads have returned with " +
                                             std::to_string(async.Pending()) +
                                             " bulk copies under way");
    }
  } catch (const Abort&) {
    aborting_ = true;
  }
  if (aborting_) Unwind();
}

// Every fiber that has begun is resumed once more: what it waits in throws, and its frames end.
void Machine::Unwind() {
  for (Thread& thread : thread_storage) {
    if (!thread.started || thread.finished) continue;
    running_ = thread.warp;
    current_thread = &thread;
    scheduler_.SwitchTo(thread.fiber);
  }
  current_thread = nullptr;
}

std::string Machine::DescribeDeadlock() const {
  std::string text = "every thread waits and nothing is under way";
  for (const auto& barrier : mbarriers) {
    if (!barrier->live) continue;
    text += "\n  block " + std::to_string(barrier->block->index) + " mbarrier at byte " +
            std::to_string(barrier->offset) + ": phase " + std::to_string(barrier->phase) +
            ", pending arrivals " + std::to_string(barrier->pending) + " of " +
            std::to_string(barrier->arrivals) + ", transaction bytes " +
            std::to_string(barrier->transactions);
  }
  for (const auto& block : blocks) {
    for (int id = 1; id < kNamedBarriers; ++id) {
      const NamedBarrier& barrier = block->barriers[id];
      if (barrier.arrived == 0) continue;
      text += "\n  block " + std::to_string(block->index) + " barrier " + std::to_string(id) +
              ": " + std::to_string(barrier.arrived) + " of " + std::to_string(barrier.expected) +
              " threads";
    }
    if (block->barriers[0].arrived > 0) {
      text += "\n  block " + std::to_string(block->index) +
              " bar.sync 0: " + std::to_string(block->barriers[0].arrived) + " of " +
              std::to_string(block->warps.size()) + " warps";
    }
  }
  if (cluster_barrier.arrived_warps > 0) {
    text += "\n  cluster barrier: " + std::to_string(cluster_barrier.arrived_warps) + " of " +
            std::to_string(threads / kWarpLanes) + " warps";
  }
  for (const Warp& warp : warp_storage) DescribeWarp(warp, text);
  return text;
}

}  // namespace causeway::kernels::simt
