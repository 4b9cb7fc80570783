// SPDX-License-Identifier: Apache-2.0
// Where the running CUDA thread stands: the part of it that primitives read without a call.
#pragma once

#include <source_location>

namespace causeway::kernels::simt {

/// Where in the kernel's source an operation stands.
using Site = std::source_location;

struct ThreadContext {
  int index = 0;  // in its block
  int block_index = 0;
  int grid_blocks = 0;
  int block_threads = 0;
};

/// The CUDA thread that is running; null outside of a launch.
extern constinit thread_local ThreadContext* current_thread;

}  // namespace causeway::kernels::simt
