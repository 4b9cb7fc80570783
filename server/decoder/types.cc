// SPDX-License-Identifier: Apache-2.0
#include "server/decoder/types.h"

namespace causeway::decoder {

std::string ToString(const Geometry& geometry) {
  return std::to_string(geometry.height) + "x" + std::to_string(geometry.width);
}

const char* CategoryName(Category category) {
  switch (category) {
    case Category::kConvolutionOrGemm:
      return "convolution_or_gemm";
    case Category::kElementwiseAdd:
      return "elementwise_add";
    case Category::kLayoutConversion:
      return "layout_conversion";
    case Category::kWorkspaceInit:
      return "workspace_init";
    case Category::kExplicitCopy:
      return "explicit_copy";
    case Category::kNormActivation:
      return "norm_activation";
    case Category::kUpsample:
      return "upsample";
    case Category::kAttention:
      return "attention";
    case Category::kCacheIo:
      return "cache_io";
    case Category::kPostprocess:
      return "postprocess";
    case Category::kTransferH2d:
      return "transfer_h2d";
    case Category::kTransferD2h:
      return "transfer_d2h";
    case Category::kCollective:
      return "collective";
    case Category::kIdleGap:
      return "idle_gap";
    case Category::kOther:
      return "other";
  }
  return "other";
}

const char* BlockName(Block block) {
  switch (block) {
    case Block::kMid:
      return "mid";
    case Block::kUp0:
      return "up0";
    case Block::kUp1:
      return "up1";
    case Block::kUp2:
      return "up2";
    case Block::kUp3:
      return "up3";
    case Block::kHead:
      return "head";
  }
  return "other";
}

}  // namespace causeway::decoder
