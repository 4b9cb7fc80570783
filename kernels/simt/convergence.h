// SPDX-License-Identifier: Apache-2.0
// Instructions that threads execute together: warp collectives and barriers.
#pragma once

#include <cstdint>

#include "kernels/simt/thread_context.h"

namespace causeway::kernels::simt {

class Machine;
struct Block;
struct Warp;

/// Whether an instruction has to be the same one in the source (".aligned"), or only of one kind.
enum class Alignment { kAny, kAligned };

/// Waits until all 32 lanes of the warp are here. The last one calls complete(machine, warp), where
/// the operands of lane i are at warp.gathering.argument[i]; if that returns false, the warp goes
/// on waiting until something wakes it.
void Gather(const char* name, Alignment alignment, const Site& site, void* argument,
            bool (*complete)(Machine&, Warp&));

// The operations of the primitives of the same names.
void SyncBlock(const Site& site);
/// Lets the waiting warps go on if all that have not returned are there; whether it did.
bool ReleaseBlockBarrier(Machine& machine, Block& block);
void SyncLanes(const Site& site);
void SyncNamedBarrier(int id, int threads, bool wait, const Site& site);
uint32_t ShuffleWord(uint32_t value, int source_lane, const Site& site);
uint32_t BallotLanes(bool vote, const Site& site);
void SetMaxRegisters(int registers, const Site& site);

void ArriveClusterBarrier(const Site& site);
void WaitClusterBarrier(const Site& site);

}  // namespace causeway::kernels::simt
