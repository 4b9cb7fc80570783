// SPDX-License-Identifier: Apache-2.0
// Runs a kernel on the host, every CUDA thread a fiber, and checks the rules on the way. Clusters
// run one after another in an order drawn from the seed; the blocks of a cluster run together. This
// checks what a kernel computes and how it synchronises; it says nothing of speed, and a kernel
// that passes has not run on a GPU. README.md lists what is modelled and what is not.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "kernels/simt/failure.h"

namespace causeway::kernels::simt {

/// When asynchronous work (copies, bulk copies, wgmma) takes effect.
enum class AsyncCompletion {
  kEarliest,  // when it is issued
  kRandom,    // at a moment drawn from the seed
  kLatest,    // when something waits for it and nothing else can run
};

struct LaunchOptions {
  int grid_blocks = 1;               // a multiple of cluster_blocks
  int block_threads = 32;            // a multiple of 32, at most 1,024
  int cluster_blocks = 1;            // at most 16
  int64_t dynamic_shared_bytes = 0;  // at most 227 KB
  uint64_t seed = 1;                 // of the orders of warps and blocks, and of kRandom
  // Of the directions in which approximate functions err: one chip errs one way for one input,
  // whatever the order of its warps.
  uint64_t approximation_seed = 1;
  AsyncCompletion async = AsyncCompletion::kRandom;
};

struct LaunchReport {
  std::optional<Failure> failure;  // the first one; the launch ended there
  int64_t switches = 0;            // between fibers
  int64_t matrix_products = 0;     // mma and wgmma, counted once a warp

  bool Ok() const { return !failure.has_value(); }
  /// "ok", or the failure's name and text.
  std::string Text() const;
};

/// Calls `body` once a thread; `body` calls the kernel. Global memory that the kernel touches has
/// to be registered (global_memory.h). One launch at a time on a thread of the operating system.
/// Throws std::invalid_argument for options out of range, and whatever else `body` throws.
LaunchReport Launch(const LaunchOptions& options, const std::function<void()>& body);

/// As Launch; throws SimtError where that reports a failure.
LaunchReport LaunchOrThrow(const LaunchOptions& options, const std::function<void()>& body);

}  // namespace causeway::kernels::simt
