// SPDX-License-Identifier: Apache-2.0
// The values of flags: numbers, sizes, geometries, choices. All throw UsageError with what was
// got and what is allowed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/bench/arguments.h"
#include "server/bench/item_list.h"
#include "server/decoder/types.h"

namespace causeway::bench {

/// A decimal integer in [min, max]; `absent` where the flag was not given.
std::int64_t IntegerFlag(const Arguments& arguments, std::string_view name, std::int64_t absent,
                         std::int64_t min, std::int64_t max);

/// "704x1280": height x width in pixels, each a multiple of 8 in 8..8192. The flag must be there.
decoder::Geometry GeometryFlag(const Arguments& arguments, std::string_view name);

/// "1,3,3": positive integers; nothing where the flag was not given.
std::optional<std::vector<int>> ChunksFlag(const Arguments& arguments, std::string_view name);

/// "141GB", "80GiB", "500000": bytes, with a decimal (kB, MB, GB, TB) or binary unit (KiB, MiB,
/// GiB, TiB) or none; nothing where the flag was not given.
std::optional<std::int64_t> BytesFlag(const Arguments& arguments, std::string_view name);

template <typename T>
using Choices = std::vector<std::pair<std::string, T>>;

/// The value that belongs to the name given; that of the first choice where the flag is absent.
template <typename T>
T ChoiceFlag(const Arguments& arguments, std::string_view name, const Choices<T>& choices) {
  const std::string* got = arguments.Find(name);
  if (got == nullptr) return choices.front().second;
  std::string allowed;
  for (const auto& [choice, value] : choices) {
    if (choice == *got) return value;
    AppendItem(allowed, choice);
  }
  throw BadFlag(name, *got, allowed);
}

}  // namespace causeway::bench
