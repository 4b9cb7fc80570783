// SPDX-License-Identifier: Apache-2.0
#include "kernels/simt/fiber.h"

#include <cstdint>
#include <new>
#include <utility>

#include <sys/mman.h>

#if defined(__x86_64__) && !defined(CAUSEWAY_SIMT_UCONTEXT)
#define CAUSEWAY_SIMT_ASSEMBLY 1
#else
#include <ucontext.h>
#endif

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#endif

#ifdef CAUSEWAY_SIMT_ASSEMBLY
// void causeway_simt_switch(void** save, void* load): pushes what the System V ABI lets a callee
// keep, stores the stack pointer in *save, loads `load`, pops the same.
asm(R"(
  .text
  .align 16
  .globl causeway_simt_switch
  .hidden causeway_simt_switch
  .type causeway_simt_switch, @function
causeway_simt_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .size causeway_simt_switch, .-causeway_simt_switch
)");
extern "C" void causeway_simt_switch(void** save, void* load);
#endif

namespace causeway::kernels::simt {

struct Fiber::State {
#ifdef CAUSEWAY_SIMT_ASSEMBLY
  void* stack_pointer = nullptr;
#else
  ucontext_t context = {};
#endif
#ifdef __SANITIZE_ADDRESS__
  const void* stack = nullptr;
  size_t stack_bytes = 0;
  void* fake_stack = nullptr;
#endif
};

namespace {

#ifdef __SANITIZE_ADDRESS__
// The fiber that was left in the switch that is just ending, for the sanitizer: it tells us there
// where the operating system's own stack lies.
thread_local const void** left_stack = nullptr;
thread_local size_t* left_stack_bytes = nullptr;
#endif

// The entry of the fiber that is switched to for the first time.
thread_local Fiber::Entry starting_entry = nullptr;

#ifdef __SANITIZE_ADDRESS__
void FinishSwitch(void* fake_stack) {
  const void* stack = nullptr;
  size_t bytes = 0;
  __sanitizer_finish_switch_fiber(fake_stack, &stack, &bytes);
  if (left_stack != nullptr && *left_stack == nullptr) {
    *left_stack = stack;
    *left_stack_bytes = bytes;
  }
}
#endif

}  // namespace

Fiber::Fiber() : state_(std::make_unique<State>()) {}
Fiber::~Fiber() = default;

void Fiber::Start(std::byte* stack, size_t bytes, Entry entry) {
  struct Trampoline {
    static void Run() {
#ifdef __SANITIZE_ADDRESS__
      FinishSwitch(nullptr);
#endif
      starting_entry();
    }
  };
  starting_entry = entry;
#ifdef __SANITIZE_ADDRESS__
  state_->stack = stack;
  state_->stack_bytes = bytes;
  state_->fake_stack = nullptr;
#endif
#ifdef CAUSEWAY_SIMT_ASSEMBLY
  // As if Run had been called: below an aligned address lie the return address that the switch's
  // `ret` takes and six registers.
  const auto top = (reinterpret_cast<uintptr_t>(stack) + bytes) & ~uintptr_t{15};
  auto* frame = reinterpret_cast<uintptr_t*>(top) - 2;
  frame[0] = reinterpret_cast<uintptr_t>(&Trampoline::Run);
  frame[1] = 0;
  frame -= 6;
  for (int i = 0; i < 6; ++i) frame[i] = 0;
  state_->stack_pointer = frame;
#else
  getcontext(&state_->context);
  state_->context.uc_stack.ss_sp = stack;
  state_->context.uc_stack.ss_size = bytes;
  state_->context.uc_link = nullptr;
  makecontext(&state_->context, &Trampoline::Run, 0);
#endif
}

void Fiber::SwitchTo(Fiber& to) {
#ifdef __SANITIZE_ADDRESS__
  left_stack = &state_->stack;
  left_stack_bytes = &state_->stack_bytes;
  __sanitizer_start_switch_fiber(&state_->fake_stack, to.state_->stack, to.state_->stack_bytes);
#endif
#ifdef CAUSEWAY_SIMT_ASSEMBLY
  causeway_simt_switch(&state_->stack_pointer, to.state_->stack_pointer);
#else
  swapcontext(&state_->context, &to.state_->context);
#endif
#ifdef __SANITIZE_ADDRESS__
  FinishSwitch(state_->fake_stack);
#endif
}

void Fiber::SwitchForGood(Fiber& to) {
#ifdef __SANITIZE_ADDRESS__
  left_stack = &state_->stack;
  left_stack_bytes = &state_->stack_bytes;
  __sanitizer_start_switch_fiber(nullptr, to.state_->stack, to.state_->stack_bytes);
#endif
#ifdef CAUSEWAY_SIMT_ASSEMBLY
  causeway_simt_switch(&state_->stack_pointer, to.state_->stack_pointer);
#else
  swapcontext(&state_->context, &to.state_->context);
#endif
  __builtin_unreachable();
}

namespace {
constexpr size_t kPage = 4096;
#ifdef __SANITIZE_ADDRESS__
constexpr size_t kStackPages = 96;  // the sanitizer's frames are larger
#else
constexpr size_t kStackPages = 32;
#endif
// A guard page, the stack, and one page more so that neighbouring stacks differ by an odd number.
constexpr size_t kPitch = (kStackPages + 1 + (kStackPages + 1) % 2 + 1) * kPage;
}  // namespace

StackPool::~StackPool() {
  if (memory_ != nullptr) munmap(memory_, static_cast<size_t>(count_) * kPitch);
}

void StackPool::Reserve(int count) {
  if (count <= count_) return;
  if (memory_ != nullptr) munmap(memory_, static_cast<size_t>(count_) * kPitch);
  memory_ = nullptr;
  count_ = 0;
  void* memory = mmap(nullptr, static_cast<size_t>(count) * kPitch, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  memory_ = static_cast<std::byte*>(memory);
  count_ = count;
  for (int i = 0; i < count; ++i) {
    if (mprotect(memory_ + static_cast<size_t>(i) * kPitch, kPage, PROT_NONE) != 0) {
      throw std::bad_alloc();
    }
  }
}

std::byte* StackPool::Stack(int index) const {
  return memory_ + static_cast<size_t>(index) * kPitch + kPage;
}

size_t StackPool::StackBytes(int index) const {
  const size_t shift = static_cast<size_t>(index) * 9 % 64 * 64;
  return kPitch - kPage - shift;
}

}  // namespace causeway::kernels::simt
