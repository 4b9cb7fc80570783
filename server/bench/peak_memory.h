// SPDX-License-Identifier: Apache-2.0
// The most memory that this process has had resident.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace causeway::bench {

/// VmHWM of a /proc/PID/status (proc(5)), in bytes; nothing where `status` does not say it.
std::optional<std::int64_t> ParsePeakResidentBytes(std::string_view status);

/// Of this process so far; nothing where the system does not tell.
std::optional<std::int64_t> PeakResidentBytes();

}  // namespace causeway::bench
