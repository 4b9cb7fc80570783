// SPDX-License-Identifier: Apache-2.0
// What each form of tile_table.h may take of a multiprocessor. The static checks read this table
// and compare it with what ptxas says for every architecture; a test keeps it in step with
// tile_table.h.
//
// CAUSEWAY_CONV3D_BUDGETS(X) calls X(height, width, warps_m, warps_n, mma_m, mma_n, chunk_units,
// weight_stages, registers of fp16 and bf16, registers of tf32, bytes of shared memory). Registers
// are those of one thread, in the units of 8 in which a multiprocessor hands them out. 256 threads
// of 208 leave room for one block; a change that needs more than the budget has to say so here.
#pragma once

#define CAUSEWAY_CONV3D_BUDGETS(X)               \
  X(16, 16, 8, 1, 2, 2, 2, 4, 72, 72, 22784)     \
  X(16, 16, 8, 1, 2, 4, 4, 4, 96, 96, 49664)     \
  X(16, 16, 8, 1, 2, 6, 4, 4, 120, 120, 53760)   \
  X(16, 16, 8, 1, 2, 8, 4, 4, 152, 152, 57856)   \
  X(16, 16, 8, 1, 2, 12, 4, 3, 200, 200, 59904)  \
  X(16, 16, 8, 1, 2, 12, 8, 4, 200, 200, 132096) \
  X(8, 16, 4, 2, 2, 12, 4, 4, 208, 208, 72192)   \
  X(8, 16, 4, 2, 2, 12, 8, 4, 208, 208, 144384)  \
  X(8, 8, 2, 4, 2, 12, 4, 3, 200, 200, 86528)    \
  X(8, 8, 2, 4, 2, 12, 4, 5, 200, 200, 135680)   \
  X(8, 8, 2, 4, 2, 12, 8, 3, 200, 200, 173056)
