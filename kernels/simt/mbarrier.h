// SPDX-License-Identifier: Apache-2.0
// mbarrier objects. A phase is complete when no arrival is pending and the transaction count is
// zero; then the next one begins with the count of arrivals of the initialisation.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/simt/knowledge.h"
#include "kernels/simt/thread_context.h"

namespace causeway::kernels::simt {

struct Block;
struct Thread;

struct Mbarrier {
  Block* block = nullptr;
  int64_t offset = 0;  // in the block's shared memory
  int agent = 0;       // of the copies that complete on it
  int arrivals = 0;    // a phase
  int pending = 0;
  int64_t transactions = 0;  // bytes expected and not yet delivered
  int64_t phase = 0;
  Knowledge arriving;  // of who arrived, this phase's included
  Knowledge complete;  // of who arrived up to the last complete phase
  std::vector<Thread*> waiting;
  bool live = false;
};

// The operations of the primitives of the same names; `address` is a shared or cluster address.
void InitMbarrier(uint32_t address, int arrivals, const Site& site);
void InvalidateMbarrier(uint32_t address, const Site& site);
void ArriveMbarrier(uint32_t address, int64_t expected_bytes, const Site& site);
void ExpectMbarrier(uint32_t address, int64_t bytes, const Site& site);
bool TryWaitMbarrier(uint32_t address, uint32_t parity, const Site& site);
void WaitMbarrier(uint32_t address, uint32_t parity, const Site& site);
void FenceMbarrierInits();

/// The barrier at an address, live and visible to the running thread.
Mbarrier& VisibleMbarrier(uint32_t address, const Site& site);
/// `bytes` of a copy have been written.
void DeliverBytes(Mbarrier& barrier, int64_t bytes);

}  // namespace causeway::kernels::simt
