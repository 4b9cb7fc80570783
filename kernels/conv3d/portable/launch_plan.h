// SPDX-License-Identifier: Apache-2.0
// From a problem, its tile and its pointers to what a launch needs: the same for a GPU and for host
// execution.
#pragma once

#include <cstdint>

#include "causeway/kernels/conv3d.h"
#include "kernels/conv3d/portable/params.h"

namespace causeway::kernels::portable {

struct LaunchPlan {
  Conv3dKernelParams params;
  int grid_blocks = 0;
  int block_threads = 0;
  int shared_bytes = 0;
};

/// The problem has passed Check and the tile fits it.
LaunchPlan MakeLaunchPlan(const Conv3dProblem& problem, const TileConfig& config,
                          const Conv3dArguments& arguments);

}  // namespace causeway::kernels::portable
