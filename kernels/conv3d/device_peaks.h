// SPDX-License-Identifier: Apache-2.0
// What a named device can do at most, for the cost model. Every figure has its source in the table.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "causeway/kernels/element_type.h"

namespace causeway::kernels {

/// "Nominal" is the maker's figure; "sustained" is what a long run keeps up (power, refresh).
struct DevicePeaks {
  std::string_view name;          // "h200"
  std::string_view architecture;  // as FindArchitecture takes it
  int processors = 0;             // streaming multiprocessors
  double clock = 0;               // Hz; the one that the nominal tensor rate is quoted at
  double nominal_flops_16 = 0;    // FLOP/s of fp16 and bf16, dense, fp32 accumulators
  double sustained_flops_16 = 0;  // those of tf32 are half of these
  double mma_sync_share = 0;      // of the nominal tensor rate that mma.sync reaches; wgmma: all
  double nominal_dram = 0;        // bytes/s
  double sustained_dram = 0;      // bytes/s
  double l2_bytes_per_clock = 0;  // from L2 into one multiprocessor
  double shared_bytes_per_clock = 0;  // of one multiprocessor's shared memory, both ways together

  double nominal_flops(ElementType element) const {
    return element == ElementType::kTf32 ? nominal_flops_16 / 2 : nominal_flops_16;
  }
  double sustained_flops(ElementType element) const {
    return element == ElementType::kTf32 ? sustained_flops_16 / 2 : sustained_flops_16;
  }
};

/// The devices that are known by name.
std::span<const DevicePeaks> KnownDevices();

std::optional<DevicePeaks> FindDevice(std::string_view name);

}  // namespace causeway::kernels
