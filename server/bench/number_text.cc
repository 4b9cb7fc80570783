// SPDX-License-Identifier: Apache-2.0
#include "server/bench/number_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

namespace causeway::bench {
namespace {

/// Puts commas between the digits before the decimal point.
std::string GroupDigits(std::string_view text) {
  const std::size_t first = text.starts_with('-') ? 1 : 0;
  const std::size_t point = std::min(text.find('.'), text.size());
  std::string grouped;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (at > first && at < point && (point - at) % 3 == 0) grouped += ',';
    grouped += text[at];
  }
  return grouped;
}

}  // namespace

std::string Grouped(std::int64_t value) { return GroupDigits(std::to_string(value)); }

std::string Fixed(double value, int decimals) {
  char digits[400];  // the largest double has 309 before the point
  const char* end =
      std::to_chars(digits, digits + sizeof(digits), value, std::chars_format::fixed, decimals).ptr;
  const std::string_view text(digits, static_cast<std::size_t>(end - digits));
  return std::isfinite(value) ? GroupDigits(text) : std::string(text);
}

std::string Percent(double part, double whole) {
  return whole == 0 ? "-" : Fixed(100 * part / whole, 1) + " %";
}

std::string Mebibytes(double bytes) { return Fixed(bytes / kMebibyte, 1); }

}  // namespace causeway::bench
