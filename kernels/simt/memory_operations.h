// SPDX-License-Identifier: Apache-2.0
// Memory accesses of the running thread, checked; cp.async; approximations.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/simt/thread_context.h"

namespace causeway::kernels::simt {

/// Checks an access to global memory of a power of two of bytes up to 16.
void CheckGlobal(const void* address, int bytes, bool write, const Site& site);

std::byte* DynamicSharedBase();
uint32_t AddressOfShared(const void* pointer, const Site& site);

/// `address` is the block's own or mapped to a rank.
void LoadSharedBytes(uint32_t address, int bytes, void* to, const Site& site);
void StoreSharedBytes(uint32_t address, int bytes, const void* from, const Site& site);
int AddToShared(uint32_t address, int value, const Site& site);

// cp.async of 16 bytes; source null: zeros.
void IssueCopy(uint32_t destination, const void* source, const Site& site);
void CommitIssuedCopies();
void WaitForCopies(int pending_groups);

// The exact result, off by the largest error that the PTX ISA allows the instruction, up or down as
// the launch's seed says. Subnormal arguments and results are zero where the instruction has .ftz.
float WorstExp2(float x);
float WorstReciprocal(float x);
float WorstRsqrt(float x);
float WorstTanh(float x);

int RankInCluster();
int BlocksInCluster();
uint32_t MapToRank(uint32_t address, int rank, const Site& site);

}  // namespace causeway::kernels::simt
