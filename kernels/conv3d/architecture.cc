// SPDX-License-Identifier: Apache-2.0
#include "causeway/kernels/architecture.h"

namespace causeway::kernels {
namespace {

constexpr std::int64_t kKiB = 1024;

constexpr Architecture kArchitectures[] = {
    {"sm_80", 80, 163 * kKiB, 164 * kKiB, 65536, 2048},
    {"sm_86", 86, 99 * kKiB, 100 * kKiB, 65536, 1536},
    {"sm_89", 89, 99 * kKiB, 100 * kKiB, 65536, 1536},
    {"sm_90", 90, 227 * kKiB, 228 * kKiB, 65536, 2048},
    {"sm_120", 120, 99 * kKiB, 100 * kKiB, 65536, 1536},
};

}  // namespace

std::span<const Architecture> Architectures() { return kArchitectures; }

std::optional<Architecture> FindArchitecture(std::string_view name) {
  for (const Architecture& architecture : kArchitectures) {
    if (architecture.name == name) return architecture;
  }
  return std::nullopt;
}

}  // namespace causeway::kernels
