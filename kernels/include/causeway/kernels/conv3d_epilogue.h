// SPDX-License-Identifier: Apache-2.0
// What follows a convolution on its way to memory, in this order: bias, residual, raw store, norm,
// store. Read by host and device.
#pragma once

namespace causeway::kernels {

/// The type of raw values: the sums before a norm.
enum class RawType { kNone, kFp32, kElement };

/// kRms: x / max(|x|, 1e-12) * sqrt(C) * gamma over the channels; kRmsSilu: then y * sigmoid(y).
enum class NormType { kNone, kRms, kRmsSilu };

/// RawType::kElement is refused for tf32, whose elements are fp32 already.
struct Conv3dEpilogue {
  RawType residual = RawType::kNone;   // added after the bias
  RawType raw_store = RawType::kNone;  // the sum, stored
  NormType norm = NormType::kNone;     // of the sum, stored as elements
};

}  // namespace causeway::kernels
