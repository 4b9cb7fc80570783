// SPDX-License-Identifier: Apache-2.0
// What simt finds wrong with a kernel.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>

namespace causeway::kernels::simt {

enum class FailureKind {
  kDeadlock,             // nothing can run, nothing is in flight, threads are waiting
  kPoisonRead,           // reads shared memory that nothing has written
  kUnfinishedCopy,       // touches the destination of an asynchronous copy that was not waited for
  kRace,                 // two accesses to shared memory that nothing orders, one of them a write
  kOutOfRange,           // an address outside of shared memory or of every registered buffer
  kMisaligned,           // an address that its access does not allow
  kOverArrival,          // more arrivals at a barrier than it counts
  kTransactionCount,     // an mbarrier's bytes went below zero or out of range
  kDivergentCollective,  // the threads of a warp (or warpgroup) do not execute the same instruction
  kMissingProxyFence,    // the async proxy meets generic writes without fence.proxy.async
  kMissingWgmmaFence,    // wgmma on accumulators that wgmma.fence does not cover
  kAccumulatorInFlight,  // accumulators of an unfinished wgmma were touched or left behind
  kInvalidOperand,       // an operand that the instruction does not allow
};

/// The name without its k: "Deadlock".
const char* FailureName(FailureKind kind);

struct Failure {
  FailureKind kind;
  int block = 0;
  int thread = 0;    // in its block; -1: no thread's fault (a deadlock)
  std::string text;  // one line what and where; a deadlock has one line a barrier and a warp more
};

class SimtError : public std::runtime_error {
 public:
  explicit SimtError(const Failure& failure)
      : std::runtime_error(std::string(FailureName(failure.kind)) + ": " + failure.text),
        failure_(failure) {}
  const Failure& failure() const { return failure_; }

 private:
  Failure failure_;
};

}  // namespace causeway::kernels::simt
