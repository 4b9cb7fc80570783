// SPDX-License-Identifier: Apache-2.0
#include "server/bench/flag_values.h"

#include <charconv>
#include <cmath>
#include <limits>

namespace causeway::bench {
namespace {

constexpr int kPixelsPerLatent = 8;
constexpr int kMaxPixels = 8192;

/// The whole text as a number; nothing where it is anything else.
template <typename T>
std::optional<T> ParseNumber(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<int> ParsePixels(std::string_view text) {
  const std::optional<int> pixels = ParseNumber<int>(text);
  const bool is_usable = pixels && *pixels >= kPixelsPerLatent && *pixels <= kMaxPixels &&
                         *pixels % kPixelsPerLatent == 0;
  return is_usable ? pixels : std::nullopt;
}

const std::vector<std::pair<std::string_view, double>>& ByteUnits() {
  static const std::vector<std::pair<std::string_view, double>> units{
      {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40},
      {"kB", 1e3},     {"MB", 1e6},     {"GB", 1e9},     {"TB", 1e12}};
  return units;
}

}  // namespace

std::int64_t IntegerFlag(const Arguments& arguments, std::string_view name, std::int64_t absent,
                         std::int64_t min, std::int64_t max) {
  const std::string* text = arguments.Find(name);
  if (text == nullptr) return absent;
  const std::optional<std::int64_t> value = ParseNumber<std::int64_t>(*text);
  if (value && *value >= min && *value <= max) return *value;
  throw BadFlag(name, *text,
                "an integer from " + std::to_string(min) + " to " + std::to_string(max));
}

decoder::Geometry GeometryFlag(const Arguments& arguments, std::string_view name) {
  const std::string_view text = arguments.Get(name);
  const std::size_t cross = text.find('x');
  if (cross != std::string_view::npos) {
    const std::optional<int> height = ParsePixels(text.substr(0, cross));
    const std::optional<int> width = ParsePixels(text.substr(cross + 1));
    if (height && width) return {*height, *width};
  }
  throw BadFlag(name, text, "HEIGHTxWIDTH in pixels, each a multiple of 8 from 8 to 8192");
}

std::optional<std::vector<int>> ChunksFlag(const Arguments& arguments, std::string_view name) {
  const std::string* text = arguments.Find(name);
  if (text == nullptr) return std::nullopt;
  std::vector<int> chunks;
  std::string_view rest = *text;
  while (true) {
    const std::size_t comma = rest.find(',');
    const std::optional<int> chunk = ParseNumber<int>(rest.substr(0, comma));
    if (!chunk || *chunk < 1) {
      throw BadFlag(name, *text, "latents a chunk, such as 1,3,3, each at least 1");
    }
    chunks.push_back(*chunk);
    if (comma == std::string_view::npos) return chunks;
    rest.remove_prefix(comma + 1);
  }
}

std::optional<std::int64_t> BytesFlag(const Arguments& arguments, std::string_view name) {
  const std::string* text = arguments.Find(name);
  if (text == nullptr) return std::nullopt;
  std::string_view number = *text;
  double factor = 1;
  for (const auto& [unit, unit_bytes] : ByteUnits()) {
    if (number.ends_with(unit)) {
      number.remove_suffix(unit.size());
      factor = unit_bytes;
      break;
    }
  }
  const std::optional<double> value = ParseNumber<double>(number);
  const double bytes = value.value_or(0) * factor;
  // 2^53: beyond it a double no longer tells bytes apart. The comparison also refuses NaN.
  if (bytes >= 1 && bytes <= 0x1p53) return std::llround(bytes);
  throw BadFlag(name, *text, "a size such as 141GB, 80GiB or 500000 (bytes), at most 8192TiB");
}

}  // namespace causeway::bench
