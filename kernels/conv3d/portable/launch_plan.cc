// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv3d/portable/launch_plan.h"

namespace causeway::kernels::portable {
namespace {

int DivideUp(int value, int by) { return (value + by - 1) / by; }

}  // namespace

LaunchPlan MakeLaunchPlan(const Conv3dProblem& problem, const TileConfig& config,
                          const Conv3dArguments& arguments) {
  const int unit = UnitChannels(problem.element);
  LaunchPlan plan;
  Conv3dKernelParams& params = plan.params;
  params.input = arguments.input;
  params.weights = arguments.weights;
  params.bias = arguments.bias;
  params.scaled_gamma = arguments.scaled_gamma;
  params.residual = arguments.residual;
  params.raw = arguments.raw;
  params.output = arguments.output;
  params.frames = arguments.frames;
  params.residual_type = problem.epilogue.residual;
  params.raw_type = problem.epilogue.raw_store;
  params.norm = problem.epilogue.norm;
  params.height = problem.height;
  params.width = problem.width;
  params.in_units = problem.in_channels / unit;
  params.out_units = problem.out_channels / unit;
  params.chunks = DivideUp(params.in_units, config.chunk_units);
  params.tiles_x = DivideUp(problem.width, config.tile_width);
  params.tiles_y = DivideUp(problem.height, config.tile_height);

  plan.grid_blocks = problem.frames * params.tiles_x * params.tiles_y;
  plan.block_threads = config.threads();
  plan.shared_bytes = static_cast<int>(config.shared_bytes());
  return plan;
}

}  // namespace causeway::kernels::portable
