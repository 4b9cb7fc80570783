// SPDX-License-Identifier: Apache-2.0
// All that a kernel may ask of the hardware. Kernel sources include this header and nothing else of
// CUDA; it has two bodies with one contract:
//   nvcc               kernels/primitives/ptx_*.cuh  PTX, sm_80 and later (the Hopper part: sm_90a)
//   the host compiler  kernels/simt/simt_*.h          every thread a fiber, every rule checked
// kernels/primitives/README.md lists each primitive with its contract and its PTX instruction.
#pragma once

#include "kernels/primitives/elements.h"
#include "kernels/primitives/macros.h"
#include "kernels/primitives/wgmma_descriptor.h"

#ifdef __CUDACC__
#include "kernels/primitives/ptx_hopper.cuh"
#include "kernels/primitives/ptx_primitives.cuh"
#include "kernels/primitives/ptx_wgmma.cuh"
#else
#include "kernels/simt/simt_hopper.h"
#include "kernels/simt/simt_primitives.h"
#endif
