// SPDX-License-Identifier: Apache-2.0
#include "kernels/simt/machine.h"

#include <cstring>
#include <utility>

#include "kernels/simt/convergence.h"
#include "kernels/simt/shared_address.h"

namespace causeway::kernels::simt {

constinit thread_local Machine* current_machine = nullptr;
constinit thread_local ThreadContext* current_thread = nullptr;

std::string Describe(const Site& site) {
  const char* slash = std::strrchr(site.file, '/');
  return std::string(slash == nullptr ? site.file : slash + 1) + ":" + std::to_string(site.line);
}

Machine::Machine(const LaunchOptions& launch_options, const std::function<void()>& launch_body)
    : options(launch_options), body(launch_body), random(launch_options.seed) {
  thread_local StackPool stacks;
  stacks_ = &stacks;
  threads = options.cluster_blocks * options.block_threads;
  agents = threads + kMaxMbarriers + (threads + 127) / 128;
  stacks.Reserve(threads);
  thread_storage = std::vector<Thread>(static_cast<size_t>(threads));
  warp_storage = std::vector<Warp>(static_cast<size_t>(threads / kWarpLanes));
  for (int rank = 0; rank < options.cluster_blocks; ++rank) {
    blocks.push_back(std::make_unique<Block>());
  }
}

void Machine::Record(FailureKind kind, std::string text) {
  if (failure_) return;
  failure_ = Failure{kind, 0, -1, std::move(text)};
  if (current_thread != nullptr) {
    failure_->block = current_thread->block_index;
    failure_->thread = current_thread->index;
  }
  aborting_ = true;
}

void Machine::Fail(FailureKind kind, std::string text) {
  if (current_thread != nullptr) {
    text = "block " + std::to_string(current_thread->block_index) + ", thread " +
           std::to_string(current_thread->index) + " (warp " +
           std::to_string(current_thread->index / kWarpLanes) + "): " + text;
  }
  Record(kind, std::move(text));
  throw Abort{};
}

void Machine::FailAt(FailureKind kind, const Site& site, const std::string& text) {
  Fail(kind, Describe(site) + ": " + text);
}

Block& Machine::BlockOfAddress(uint32_t address, Thread& thread, const Site& site) {
  const int rank = RankOf(address);
  if (rank < 0) return *thread.block;
  if (rank >= options.cluster_blocks) {
    FailAt(FailureKind::kOutOfRange, site,
           "an address of block rank " + std::to_string(rank) + " in a cluster of " +
               std::to_string(options.cluster_blocks));
  }
  return *blocks[static_cast<size_t>(rank)];
}

Clock Machine::NextClock() {
  if (++clock >= kClockLimit) {
    Fail(FailureKind::kInvalidOperand, "more synchronisation in a cluster than clocks can count");
  }
  return clock;
}

bool Machine::Knows(const Thread& thread, int agent, Clock at) const {
  if (at == kInFlight) return false;
  if (agent < threads) {
    if (agent == thread.agent) return true;
    const Thread& other = thread_storage[static_cast<size_t>(agent)];
    if (other.block == thread.block && at <= thread.block->synced) return true;
    if (other.warp == thread.warp && at <= thread.warp->converged) return true;
  }
  return at <= thread.seen.Of(agent) || at <= thread.warp->seen.Of(agent) ||
         at <= thread.block->seen.Of(agent);
}

void Machine::Release(Thread& thread, Knowledge& to) {
  Warp& warp = *thread.warp;
  Block& block = *thread.block;
  to.Join(block.seen);
  to.Join(warp.seen);
  to.Join(thread.seen);
  if (options.cluster_blocks > 1) {
    to.LearnAll(block.rank * options.block_threads, options.block_threads, block.synced, agents);
  }
  to.LearnAll(thread.agent / kWarpLanes * kWarpLanes, kWarpLanes, warp.converged, agents);
  to.Learn(thread.agent, warp.clock, agents);
  warp.clock = NextClock();
}

void Machine::Converge(Warp& warp) {
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    Knowledge& seen = warp.lanes[lane].seen;
    warp.seen.Join(seen);
    seen.Clear();
  }
  warp.converged = warp.clock;
  warp.clock = NextClock();
}

void Machine::ReleaseWarp(Warp& warp, Knowledge& to) {
  Block& block = *warp.block;
  to.Join(block.seen);
  to.Join(warp.seen);
  if (options.cluster_blocks > 1) {
    to.LearnAll(block.rank * options.block_threads, options.block_threads, block.synced, agents);
  }
  to.LearnAll(warp.lanes[0].agent, kWarpLanes, warp.converged, agents);
}

void Machine::Wake(Thread& thread) {
  Warp& warp = *thread.warp;
  warp.runnable |= uint32_t{1} << (thread.index % kWarpLanes);
  if (!warp.queued && &warp != running_) {
    warp.queued = true;
    ready_.push_back(&warp);
  }
}

void Machine::WakeWarp(Warp& warp) {
  warp.runnable = kAllLanes & ~warp.exited;
  if (!warp.queued && &warp != running_) {
    warp.queued = true;
    ready_.push_back(&warp);
  }
}

void Machine::Suspend(Thread& thread, const char* waits_in, const Site& site) {
  thread.waits_in = waits_in;
  thread.waits_at = site;
  thread.warp->runnable &= ~(uint32_t{1} << (thread.index % kWarpLanes));
  LeaveFiber(thread);
}

void Machine::MaybePreempt(Thread& thread) {
  if (random.Below(16) != 0) return;
  Warp& warp = *thread.warp;
  thread.waits_in = "nothing";
  warp.queued = true;
  ready_.push_back(&warp);
  ++switches;
  thread.fiber.SwitchTo(scheduler_);
  ResumeFrom(thread);
}

// The next lane of the warp that can run goes on; without one, the scheduler.
void Machine::LeaveFiber(Thread& thread) {
  Warp& warp = *thread.warp;
  ++switches;
  if (warp.runnable == 0 || aborting_) {
    thread.fiber.SwitchTo(scheduler_);
  } else {
    const int lane = thread.index % kWarpLanes;
    const uint32_t after = lane == kWarpLanes - 1 ? 0 : warp.runnable & (kAllLanes << (lane + 1));
    const int next = __builtin_ctz(after != 0 ? after : warp.runnable);
    Thread& to = warp.lanes[next];
    to.started = true;
    current_thread = &to;
    thread.fiber.SwitchTo(to.fiber);
  }
  ResumeFrom(thread);
}

void Machine::ResumeFrom(Thread& thread) {
  current_thread = &thread;
  if (aborting_) throw Abort{};
}

void Machine::OnExit(Thread& thread) {
  Warp& warp = *thread.warp;
  if (warp.gathering.arrived != 0) {
    Fail(FailureKind::kDivergentCollective, "the thread returns while other lanes wait for it in " +
                                                std::string(warp.gathering.name) + " at " +
                                                Describe(warp.gathering.site));
  }
  CheckWgmmaAtExit(*this, warp);
  warp.exited |= uint32_t{1} << (thread.index % kWarpLanes);
  if (warp.exited != kAllLanes) return;
  Block& block = *warp.block;
  ++block.exited_warps;
  // __syncthreads does not count threads that have returned.
  if (block.barriers[0].arrived > 0) ReleaseBlockBarrier(*this, block);
}

void Machine::ThreadMain() {
  Machine& machine = *current_machine;
  Thread& thread = CurrentThread();
  try {
    machine.body();
    machine.OnExit(thread);
  } catch (const Abort&) {
    machine.aborting_ = true;
  } catch (...) {
    if (!machine.exception_) machine.exception_ = std::current_exception();
    machine.aborting_ = true;
  }
  thread.finished = true;
  --machine.unfinished_;
  Warp& warp = *thread.warp;
  warp.runnable &= ~(uint32_t{1} << (thread.index % kWarpLanes));
  ++machine.switches;
  if (warp.runnable == 0 || machine.aborting_) thread.fiber.SwitchForGood(machine.scheduler_);
  Thread& to = warp.lanes[__builtin_ctz(warp.runnable)];
  to.started = true;
  current_thread = &to;
  thread.fiber.SwitchForGood(to.fiber);
}

void Machine::RunWarp(Warp& warp) {
  running_ = &warp;
  warp.queued = false;
  const int turn = random.Below(kWarpLanes);
  const uint32_t from_turn = warp.runnable & (kAllLanes << turn);
  Thread& thread = warp.lanes[__builtin_ctz(from_turn != 0 ? from_turn : warp.runnable)];
  thread.started = true;
  current_thread = &thread;
  ++switches;
  scheduler_.SwitchTo(thread.fiber);
  current_thread = nullptr;
  running_ = nullptr;
}

}  // namespace causeway::kernels::simt
