// SPDX-License-Identifier: Apache-2.0
// The state of the cluster that is running: threads, warps, blocks, and what waits for what. The
// other files of this folder are its operations; kernels see only simt_primitives.h and
// simt_hopper.h.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernels/simt/async_engine.h"
#include "kernels/simt/fiber.h"
#include "kernels/simt/knowledge.h"
#include "kernels/simt/launch.h"
#include "kernels/simt/mbarrier.h"
#include "kernels/simt/random.h"
#include "kernels/simt/shared_memory.h"
#include "kernels/simt/thread_context.h"
#include "kernels/simt/wgmma.h"

namespace causeway::kernels::simt {

inline constexpr int kWarpLanes = 32;
inline constexpr uint32_t kAllLanes = 0xffffffffu;
inline constexpr int kNamedBarriers = 16;
inline constexpr int kMaxMbarriers = 256;  // in a cluster

struct Warp;
struct Block;

/// cp.async: one 16-byte copy that its thread has not waited for.
struct PendingCopy {
  uint32_t offset;
  const void* source;  // null: zeros
  int64_t group;
  bool landed;
};

struct Thread : ThreadContext {
  Fiber fiber;
  Warp* warp = nullptr;
  Block* block = nullptr;
  int agent = 0;
  bool started = false;
  bool finished = false;
  // What it waits in, for the report of a deadlock.
  const char* waits_in = "";
  Site waits_at;
  Knowledge seen;         // since the warp last converged
  Clock proxy_fence = 0;  // own writes up to here are visible to the async proxy
  Clock init_fence = 0;   // own mbarrier initialisations up to here too
  std::vector<PendingCopy> copies;
  size_t first_copy = 0;
  int64_t copy_group = 0;
};

/// The instruction that the lanes of a warp are gathering at.
struct Gathering {
  const char* name = nullptr;
  bool aligned = false;
  Site site;
  uint32_t arrived = 0;        // lanes
  void* argument[kWarpLanes];  // each lane's operands, on its own stack
};

struct Warp {
  int index = 0;  // in its block
  Block* block = nullptr;
  Thread* lanes = nullptr;  // 32
  uint32_t runnable = 0;    // lanes
  uint32_t exited = 0;
  bool queued = false;
  Gathering gathering;
  Clock clock = 0;      // stamps the accesses of all lanes
  Clock converged = 0;  // accesses of the warp's lanes up to here are ordered for all of them
  Knowledge seen;       // by all lanes
  bool in_cluster_barrier = false;  // has arrived and not yet waited
  int64_t cluster_phase = 0;        // that it arrived in
  WgmmaWarp wgmma;
};

struct NamedBarrier {
  int expected = 0;  // threads; 0: nobody is here
  int arrived = 0;
  uint32_t warps = 0;  // that have arrived
  std::vector<Warp*> waiting;
  Knowledge seen;
};

struct Block {
  int index = 0;  // in the grid
  int rank = 0;   // in the cluster
  SharedMemory shared;
  std::vector<Warp*> warps;
  int exited_warps = 0;
  NamedBarrier barriers[kNamedBarriers];
  Clock synced = 0;  // accesses of the block's threads up to here are ordered for all of them
  Knowledge seen;    // by all threads
  std::vector<WgmmaGroup> warpgroups;
};

/// One cluster's run. Constructed once a launch, reset for every cluster.
class Machine {
 public:
  Machine(const LaunchOptions& options, const std::function<void()>& body);

  LaunchReport Run();

  // ---- For operations, in the running thread's fiber.

  /// Reports a failure of the running thread (or of none, outside of fibers) and unwinds it.
  [[noreturn]] void Fail(FailureKind kind, std::string text);
  [[noreturn]] void FailAt(FailureKind kind, const Site& site, const std::string& text);

  /// Waits until Wake. The caller has noted where it will be woken.
  void Suspend(Thread& thread, const char* waits_in, const Site& site);
  void Wake(Thread& thread);
  void WakeWarp(Warp& warp);
  /// Now and then lets other warps run first, so that orders differ from seed to seed.
  void MaybePreempt(Thread& thread);

  // ---- Happens-before.

  /// Whether an access stamped (agent, clock) comes before what `thread` does now.
  bool Knows(const Thread& thread, int agent, Clock clock) const;
  /// Adds all that `thread` has done and seen to `to`; its later accesses get a later stamp.
  void Release(Thread& thread, Knowledge& to);
  void Acquire(Thread& thread, const Knowledge& from) { thread.seen.Join(from); }
  /// The warp's lanes have synchronised their memory with each other.
  void Converge(Warp& warp);
  /// Release of all lanes of a warp that has just converged.
  void ReleaseWarp(Warp& warp, Knowledge& to);
  Clock NextClock();

  Block& BlockOfAddress(uint32_t address, Thread& thread, const Site& site);

  LaunchOptions options;
  std::function<void()> body;
  Random random;
  int threads = 0;  // agents 0 .. threads - 1
  int agents = 0;
  Clock clock = 1;
  std::vector<Thread> thread_storage;
  std::vector<Warp> warp_storage;
  std::vector<std::unique_ptr<Block>> blocks;
  std::vector<std::unique_ptr<Mbarrier>> mbarriers;  // by number; agent threads + number
  AsyncEngine async;
  struct {
    int arrived_warps = 0;
    int64_t phase = 0;
    std::vector<Warp*> waiting;
    Knowledge arriving;
    Knowledge seen;
  } cluster_barrier;
  int64_t switches = 0;
  int64_t matrix_products = 0;

 private:
  struct Abort {};

  static void ThreadMain();
  void ResetCluster(int first_block);
  void RunCluster();
  void RunWarp(Warp& warp);
  void LeaveFiber(Thread& thread);
  void ResumeFrom(Thread& thread);
  void OnExit(Thread& thread);
  void Unwind();
  void Record(FailureKind kind, std::string text);
  std::string DescribeDeadlock() const;

  Fiber scheduler_;
  StackPool* stacks_;
  std::vector<Warp*> ready_;
  Warp* running_ = nullptr;
  int unfinished_ = 0;
  bool aborting_ = false;
  std::optional<Failure> failure_;
  std::exception_ptr exception_;
};

/// The machine of the launch in progress on this thread of the operating system; null outside.
extern constinit thread_local Machine* current_machine;

inline Thread& CurrentThread() { return *static_cast<Thread*>(current_thread); }

/// "kernel.cuh:123".
std::string Describe(const Site& site);

}  // namespace causeway::kernels::simt
