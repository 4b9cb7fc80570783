// SPDX-License-Identifier: Apache-2.0
// The launch of a convolution on a GPU. The one public header that needs the CUDA runtime.
#pragma once

#include <cuda_runtime_api.h>

#include "causeway/kernels/conv3d.h"

namespace causeway::kernels {

enum class LaunchCode {
  kLaunched,   // queued on the stream; what goes wrong later is reported by the stream
  kRefused,    // nothing was asked of the device; `what` says why
  kCudaError,  // the runtime's answer is in `error`
};

struct LaunchStatus {
  LaunchCode code = LaunchCode::kLaunched;
  const char* what = "";  // a literal: the argument or call that it is about
  cudaError_t error = cudaSuccess;

  bool ok() const { return code == LaunchCode::kLaunched; }
};

/// Queues the convolution on `stream` of the current device. The tile is one of TileConfigs(), of
/// which PackWeights made the weights. Never prints, throws, allocates device memory or waits. May
/// be called from any thread. An error is taken off the runtime's record: it is in the status only.
LaunchStatus LaunchConv3d(const Conv3dProblem& problem, const TileConfig& config,
                          const Conv3dArguments& arguments, cudaStream_t stream);

}  // namespace causeway::kernels
