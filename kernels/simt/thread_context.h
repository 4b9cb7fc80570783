// SPDX-License-Identifier: Apache-2.0
// Where the running CUDA thread stands: the part of it that primitives read without a call.
#pragma once

namespace causeway::kernels::simt {

/// Where in the kernel's source an operation stands. As std::source_location, which the clang that
/// lints this project does not have: as a default argument, Current() is the place of the call.
struct Site {
  const char* file = "";
  int line = 0;

  static constexpr Site Current(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    return {file, line};
  }
};

struct ThreadContext {
  int index = 0;  // in its block
  int block_index = 0;
  int grid_blocks = 0;
  int block_threads = 0;
};

/// The CUDA thread that is running; null outside of a launch.
extern constinit thread_local ThreadContext* current_thread;

}  // namespace causeway::kernels::simt
