// SPDX-License-Identifier: Apache-2.0
// What the choice of a tile needs to know of a GPU architecture.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace causeway::kernels {

/// Source of the limits: CUDA C++ Programming Guide 13.0, "Compute Capabilities", technical
/// specifications per compute capability.
struct Architecture {
  std::string_view name;                    // "sm_90"
  int compute_capability = 0;               // 90
  std::int64_t shared_bytes_per_block = 0;  // the most that one block may ask for
  std::int64_t shared_bytes_per_processor = 0;
  int registers_per_processor = 0;
  int threads_per_processor = 0;
};

/// sm_80, sm_86, sm_89, sm_90 and sm_120.
std::span<const Architecture> Architectures();

std::optional<Architecture> FindArchitecture(std::string_view name);

}  // namespace causeway::kernels
