// SPDX-License-Identifier: Apache-2.0
#include "server/bench/peak_memory.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <string>

namespace causeway::bench {

std::optional<std::int64_t> ParsePeakResidentBytes(std::string_view status) {
  constexpr std::string_view kField = "VmHWM:";
  constexpr std::int64_t kUnitBytes = 1024;  // the file says kB and means KiB
  const std::size_t field = status.find(kField);
  if (field == std::string_view::npos) return std::nullopt;
  std::string_view value = status.substr(field + kField.size());
  value.remove_prefix(std::min(value.find_first_not_of(" \t"), value.size()));
  std::int64_t units = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), units);
  if (error != std::errc()) return std::nullopt;
  return units * kUnitBytes;
}

std::optional<std::int64_t> PeakResidentBytes() {
  std::ifstream file("/proc/self/status");
  const std::string status{std::istreambuf_iterator<char>(file), {}};
  return ParsePeakResidentBytes(status);
}

}  // namespace causeway::bench
