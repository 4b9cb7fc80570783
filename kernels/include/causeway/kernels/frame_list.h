// SPDX-License-Identifier: Apache-2.0
// How a kernel is told where frames are. A frame of one layer is a page of a pool; a kernel gets,
// for every frame that it makes, the pages that it reads and writes. It does not care whose frames
// they are, so frames of several sessions, or of several latents, go into one launch.
#pragma once

#include <cstdint>

namespace causeway::kernels {

/// History that does not exist: reads as zeros and touches no memory.
inline constexpr std::int32_t kNoPage = -1;

/// One output frame. Page indices count in the pools of Conv3dArguments.
struct FrameEntry {
  std::int32_t inputs[3] = {kNoPage, kNoPage, kNoPage};  // oldest first; kNoPage: zeros
  std::int32_t residual = kNoPage;                       // read where the epilogue adds one
  std::int32_t raw = kNoPage;                            // written where the epilogue stores it
  std::int32_t output = kNoPage;                         // written where the epilogue has a norm
};

}  // namespace causeway::kernels
