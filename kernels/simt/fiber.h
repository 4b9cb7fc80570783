// SPDX-License-Identifier: Apache-2.0
// Stacks and the switch between them: one fiber a CUDA thread. All fibers run on the thread of the
// operating system that launched them, and are never moved to another.
//
// On x86-64 a switch saves the registers that a call preserves and exchanges the stack pointer. On
// other machines it is swapcontext, which also makes two system calls (README.md has both figures).
// The address sanitizer is told of every switch.
#pragma once

#include <cstddef>
#include <memory>

namespace causeway::kernels::simt {

/// A flow of control: a fiber, or the stack that the operating system gave (default constructed).
class Fiber {
 public:
  using Entry = void (*)();

  Fiber();
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Prepares to run `entry` on `stack` from its start at the first switch. `entry` never returns:
  /// it switches away for the last time with SwitchForGood. The stack stays the caller's.
  void Start(std::byte* stack, size_t bytes, Entry entry);

  /// Goes on with `to`; returns when some fiber switches back to this one.
  void SwitchTo(Fiber& to);
  /// As SwitchTo, from a fiber that is never resumed.
  [[noreturn]] void SwitchForGood(Fiber& to);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Memory for `count` stacks, reused from launch to launch. A guard page ends each. They differ in
/// their place within a page, so that the tops of many stacks do not share a few cache lines.
class StackPool {
 public:
  StackPool() = default;
  ~StackPool();
  StackPool(const StackPool&) = delete;
  StackPool& operator=(const StackPool&) = delete;

  /// Throws std::bad_alloc. Pointers given out before are invalid afterwards.
  void Reserve(int count);
  std::byte* Stack(int index) const;
  size_t StackBytes(int index) const;

 private:
  std::byte* memory_ = nullptr;
  int count_ = 0;
};

}  // namespace causeway::kernels::simt
