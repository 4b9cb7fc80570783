// SPDX-License-Identifier: Apache-2.0
// The words of a kernel source that the two compilers spell differently. Kernel sources are C++17.
#pragma once

// A full unroll of the loop that follows; the host compiler decides for itself.
#define CAUSEWAY_PRAGMA(text) _Pragma(#text)

#ifdef __CUDACC__
#define CAUSEWAY_DEVICE __device__ __forceinline__
#define CAUSEWAY_HOST_DEVICE __host__ __device__ __forceinline__
#define CAUSEWAY_KERNEL __global__
#define CAUSEWAY_LAUNCH_BOUNDS(threads, min_blocks) __launch_bounds__(threads, min_blocks)
#define CAUSEWAY_GRID_CONSTANT __grid_constant__
#define CAUSEWAY_UNROLL CAUSEWAY_PRAGMA(unroll)
#define CAUSEWAY_NO_UNROLL CAUSEWAY_PRAGMA(unroll 1)
#else
#define CAUSEWAY_DEVICE inline
#define CAUSEWAY_HOST_DEVICE inline
#define CAUSEWAY_KERNEL inline
#define CAUSEWAY_LAUNCH_BOUNDS(threads, min_blocks)
#define CAUSEWAY_GRID_CONSTANT
#define CAUSEWAY_UNROLL
#define CAUSEWAY_NO_UNROLL
#endif
