// SPDX-License-Identifier: Apache-2.0
#include "server/frame/pixel_format.h"

#include <array>
#include <stdexcept>
#include <string>

#include "server/frame/pack.h"

namespace causeway::frame {
namespace {

struct NamedFormat {
  PixelFormat format;
  std::string_view name;
};

constexpr std::array kFormats{
    NamedFormat{PixelFormat::kRgb24, "rgb24"}, NamedFormat{PixelFormat::kI420, "i420"},
    NamedFormat{PixelFormat::kNv12, "nv12"},   NamedFormat{PixelFormat::kRgbF16, "f16"},
    NamedFormat{PixelFormat::kRgbF32, "f32"},
};

void CheckSize(std::string_view what, std::size_t got, std::int64_t expected) {
  if (got != static_cast<std::size_t>(expected)) {
    throw std::invalid_argument(std::string(what) + ": got " + std::to_string(got) +
                                ", allowed: " + std::to_string(expected));
  }
}

std::int64_t Pixels(int height, int width) {
  if (height <= 0 || width <= 0 || height % 2 != 0 || width % 2 != 0) {
    throw std::invalid_argument("frame size: got " + std::to_string(height) + "x" +
                                std::to_string(width) + ", allowed: even and positive");
  }
  return static_cast<std::int64_t>(height) * width;
}

}  // namespace

std::string_view PixelFormatName(PixelFormat format) {
  for (const NamedFormat& entry : kFormats) {
    if (entry.format == format) return entry.name;
  }
  throw std::invalid_argument("pixel format: got " + std::to_string(static_cast<int>(format)) +
                              ", allowed: a value of PixelFormat");
}

std::optional<PixelFormat> ParsePixelFormat(std::string_view name) {
  for (const NamedFormat& entry : kFormats) {
    if (entry.name == name) return entry.format;
  }
  return std::nullopt;
}

std::int64_t FrameBytes(PixelFormat format, int height, int width) {
  const std::int64_t pixels = Pixels(height, width);
  switch (format) {
    case PixelFormat::kRgb24:
      return 3 * pixels;
    case PixelFormat::kI420:
    case PixelFormat::kNv12:
      return pixels + pixels / 2;
    case PixelFormat::kRgbF16:
      return 6 * pixels;
    case PixelFormat::kRgbF32:
      return 12 * pixels;
  }
  throw std::invalid_argument("pixel format: got " + std::to_string(static_cast<int>(format)) +
                              ", allowed: a value of PixelFormat");
}

void PackFrame(PixelFormat format, int height, int width, std::span<const float> rgb,
               std::span<std::byte> out) {
  CheckSize("bytes of a packed frame", out.size(), FrameBytes(format, height, width));
  const std::int64_t pixels = Pixels(height, width);
  CheckSize("values of a decoded frame", rgb.size(), 3 * pixels);
  switch (format) {
    case PixelFormat::kRgb24:
      return PackRgb24(pixels, rgb.data(), out.data());
    case PixelFormat::kI420:
      return PackI420(height, width, rgb.data(), out.data());
    case PixelFormat::kNv12:
      return PackNv12(height, width, rgb.data(), out.data());
    case PixelFormat::kRgbF16:
      return PackF16(3 * pixels, rgb.data(), out.data());
    case PixelFormat::kRgbF32:
      return PackF32(3 * pixels, rgb.data(), out.data());
  }
}

}  // namespace causeway::frame
