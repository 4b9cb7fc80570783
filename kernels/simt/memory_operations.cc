// SPDX-License-Identifier: Apache-2.0
#include "kernels/simt/memory_operations.h"

#include <cmath>
#include <string>

#include "kernels/simt/global_memory.h"
#include "kernels/simt/machine.h"
#include "kernels/simt/shared_address.h"

namespace causeway::kernels::simt {
namespace {

void Land(Thread& thread, PendingCopy& copy) {
  thread.block->shared.Land(copy.offset, 16, copy.source);
  copy.landed = true;
}

// Which way an approximation errs in this launch: bit `function` of the seed.
double Direction(int function) {
  if (current_machine == nullptr) return 1.0;
  return (current_machine->options.approximation_seed >> function & 1) != 0 ? 1.0 : -1.0;
}

float Flushed(float x) { return std::fabs(x) < 0x1p-126f ? std::copysign(0.0f, x) : x; }

float MovedBySteps(float x, double direction, int steps) {
  if (!std::isfinite(x) || x == 0.0f) return x;
  for (int i = 0; i < steps; ++i) {
    x = std::nextafterf(x, direction > 0 ? INFINITY : -INFINITY);
  }
  return x;
}

}  // namespace

void CheckGlobal(const void* address, int bytes, bool write, const Site& site) {
  if (reinterpret_cast<uintptr_t>(address) % static_cast<uintptr_t>(bytes) != 0) {
    current_machine->FailAt(FailureKind::kMisaligned, site,
                            "an access to " + std::to_string(bytes) +
                                " bytes of global memory at an address that is no multiple of it");
  }
  if (!IsGlobalAccessAllowed(address, bytes, write)) {
    current_machine->FailAt(FailureKind::kOutOfRange, site,
                            DescribeForbiddenAccess(address, bytes, write));
  }
}

std::byte* DynamicSharedBase() { return CurrentThread().block->shared.data(); }

uint32_t AddressOfShared(const void* pointer, const Site& site) {
  const SharedMemory& shared = CurrentThread().block->shared;
  const int64_t offset = static_cast<const std::byte*>(pointer) - shared.data();
  if (offset < 0 || offset > shared.bytes()) {
    current_machine->FailAt(FailureKind::kOutOfRange, site,
                            "the shared address of a pointer outside of shared memory");
  }
  return AddressOf(offset);
}

void LoadSharedBytes(uint32_t address, int bytes, void* to, const Site& site) {
  Thread& thread = CurrentThread();
  Block& block = current_machine->BlockOfAddress(address, thread, site);
  block.shared.Read(thread, OffsetOf(address), bytes, to, "ld.shared", site);
}

void StoreSharedBytes(uint32_t address, int bytes, const void* from, const Site& site) {
  Thread& thread = CurrentThread();
  Block& block = current_machine->BlockOfAddress(address, thread, site);
  block.shared.Write(thread, OffsetOf(address), bytes, from, "st.shared", site);
}

int AddToShared(uint32_t address, int value, const Site& site) {
  Thread& thread = CurrentThread();
  Block& block = current_machine->BlockOfAddress(address, thread, site);
  return block.shared.Add(thread, OffsetOf(address), value, site);
}

void IssueCopy(uint32_t destination, const void* source, const Site& site) {
  Machine& machine = *current_machine;
  Thread& thread = CurrentThread();
  if (source != nullptr) CheckGlobal(source, 16, false, site);
  const int64_t offset = OffsetOf(destination);
  SharedMemory& shared = thread.block->shared;
  shared.BeginWrite(thread, offset, 16, thread.agent, "cp.async", site);
  PendingCopy copy = {static_cast<uint32_t>(offset), source, thread.copy_group, false};
  const AsyncCompletion async = machine.options.async;
  if (async == AsyncCompletion::kEarliest ||
      (async == AsyncCompletion::kRandom && (machine.random.Next() & 1) != 0)) {
    Land(thread, copy);
  }
  thread.copies.push_back(copy);
}

void CommitIssuedCopies() { ++CurrentThread().copy_group; }

void WaitForCopies(int pending_groups) {
  Thread& thread = CurrentThread();
  SharedMemory& shared = thread.block->shared;
  const int64_t first_pending = thread.copy_group - pending_groups;
  while (thread.first_copy < thread.copies.size() &&
         thread.copies[thread.first_copy].group < first_pending) {
    PendingCopy& copy = thread.copies[thread.first_copy++];
    if (!copy.landed) Land(thread, copy);
    shared.Stamp(copy.offset, 16, thread.agent, thread.warp->clock);
  }
  if (thread.first_copy == thread.copies.size()) {
    thread.copies.clear();
    thread.first_copy = 0;
  } else if (thread.first_copy > 256) {
    thread.copies.erase(thread.copies.begin(),
                        thread.copies.begin() + static_cast<ptrdiff_t>(thread.first_copy));
    thread.first_copy = 0;
  }
}

// PTX ISA: ex2.approx.ftz.f32, at most 2 units in the last place.
float WorstExp2(float x) {
  const auto exact = static_cast<float>(std::exp2(static_cast<double>(Flushed(x))));
  return Flushed(MovedBySteps(exact, Direction(0), 2));
}

// rcp.approx.ftz.f32, at most 1 unit in the last place.
float WorstReciprocal(float x) {
  const auto exact = static_cast<float>(1.0 / static_cast<double>(Flushed(x)));
  return Flushed(MovedBySteps(exact, Direction(1), 1));
}

// rsqrt.approx.f32, a relative error of at most 2^-22.4.
float WorstRsqrt(float x) {
  const double exact = 1.0 / std::sqrt(static_cast<double>(Flushed(x)));
  return static_cast<float>(exact * (1.0 + Direction(2) * 1.8e-7));
}

// tanh.approx.f32, a relative error of at most 2^-11; it stays within [-1, 1].
float WorstTanh(float x) {
  const double exact = std::tanh(static_cast<double>(x));
  const double moved = exact * (1.0 + Direction(3) * 0x1p-11);
  return static_cast<float>(std::fmin(std::fmax(moved, -1.0), 1.0));
}

int RankInCluster() { return CurrentThread().block->rank; }
int BlocksInCluster() { return current_machine->options.cluster_blocks; }

uint32_t MapToRank(uint32_t address, int rank, const Site& site) {
  const uint32_t mapped = WithRank(address, rank);
  current_machine->BlockOfAddress(mapped, CurrentThread(), site);
  return mapped;
}

}  // namespace causeway::kernels::simt
