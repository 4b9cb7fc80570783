// SPDX-License-Identifier: Apache-2.0
#include "server/config/allowed_geometry.h"

#include <charconv>
#include <string_view>
#include <system_error>

namespace causeway::config {
namespace {

constexpr int kMinPixels = 8;
constexpr int kMaxPixels = 8192;

std::optional<int> ParsePixels(std::string_view text) {
  int pixels = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, pixels);
  const bool is_usable = error == std::errc() && rest == end && pixels >= kMinPixels &&
                         pixels <= kMaxPixels && pixels % kMinPixels == 0;
  return is_usable ? std::optional(pixels) : std::nullopt;
}

}  // namespace

std::optional<AllowedGeometry> ParseGeometry(const std::string& text) {
  const std::string_view view = text;
  const std::size_t cross = view.find('x');
  if (cross == std::string_view::npos) return std::nullopt;
  const std::optional<int> height = ParsePixels(view.substr(0, cross));
  const std::optional<int> width = ParsePixels(view.substr(cross + 1));
  if (!height || !width) return std::nullopt;
  return AllowedGeometry{*height, *width};
}

}  // namespace causeway::config
