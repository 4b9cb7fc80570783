// SPDX-License-Identifier: Apache-2.0
// The compiled forms of the portable kernel, as one list: the heuristic chooses from it, the
// instantiations and the dispatch are generated from it, tests and the static checks walk it.
//
// CAUSEWAY_CONV3D_TILES(X) calls X(height, width, warps_m, warps_n, mma_m, mma_n, chunk_units,
// weight_stages). 256 threads each, at most 96 accumulators a thread. The forms with 4 units a
// chunk fit into the 99 KiB of sm_86, sm_89 and sm_120; the wider ones halve the number of barriers
// where there is more shared memory.
#pragma once

#define CAUSEWAY_CONV3D_TILES(X) \
  X(16, 16, 8, 1, 2, 2, 2, 4)    \
  X(16, 16, 8, 1, 2, 4, 4, 4)    \
  X(16, 16, 8, 1, 2, 6, 4, 4)    \
  X(16, 16, 8, 1, 2, 8, 4, 4)    \
  X(16, 16, 8, 1, 2, 12, 4, 3)   \
  X(16, 16, 8, 1, 2, 12, 8, 4)   \
  X(8, 16, 4, 2, 2, 12, 4, 4)    \
  X(8, 16, 4, 2, 2, 12, 8, 4)    \
  X(8, 8, 2, 4, 2, 12, 4, 3)     \
  X(8, 8, 2, 4, 2, 12, 4, 5)     \
  X(8, 8, 2, 4, 2, 12, 8, 3)
