// SPDX-License-Identifier: Apache-2.0
// Numbers as people read them: 2,130,698,240 and 30,743.9. Independent of the locale.
#pragma once

#include <cstdint>
#include <string>

namespace causeway::bench {

/// With a comma between thousands.
std::string Grouped(std::int64_t value);

/// With that many decimals and a comma between thousands; "nan" and "inf" as they are.
std::string Fixed(double value, int decimals);

/// "63.4 %" of `whole`; "-" where that is zero.
std::string Percent(double part, double whole);

inline constexpr double kMebibyte = 0x1p20;
inline constexpr double kGigaflop = 1e9;

/// In MiB, one decimal: "8,128.0" (the unit is the caller's to name).
std::string Mebibytes(double bytes);

}  // namespace causeway::bench
