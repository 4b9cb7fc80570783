// SPDX-License-Identifier: Apache-2.0
#include "server/frame/pixel_format.h"

#include <array>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

namespace causeway::frame {
namespace {

constexpr std::array kAllFormats{PixelFormat::kRgb24, PixelFormat::kI420, PixelFormat::kNv12,
                                 PixelFormat::kRgbF16, PixelFormat::kRgbF32};

TEST(PixelFormat, NamesAreTheDocumentedOnesAndParseBack) {
  EXPECT_EQ(PixelFormatName(PixelFormat::kRgb24), "rgb24");
  EXPECT_EQ(PixelFormatName(PixelFormat::kI420), "i420");
  EXPECT_EQ(PixelFormatName(PixelFormat::kNv12), "nv12");
  EXPECT_EQ(PixelFormatName(PixelFormat::kRgbF16), "f16");
  EXPECT_EQ(PixelFormatName(PixelFormat::kRgbF32), "f32");
  for (const PixelFormat format : kAllFormats) {
    EXPECT_EQ(ParsePixelFormat(PixelFormatName(format)), format);
  }
}

TEST(PixelFormat, ParsesNoOtherName) {
  for (const char* name : {"", "RGB24", "rgb", "i420 ", "f64", "yuv420p"}) {
    EXPECT_EQ(ParsePixelFormat(name), std::nullopt) << name;
  }
}

TEST(PixelFormat, FrameBytesCountEverySample) {
  EXPECT_EQ(FrameBytes(PixelFormat::kRgb24, 704, 1280), 704 * 1280 * 3);
  EXPECT_EQ(FrameBytes(PixelFormat::kI420, 704, 1280), 704 * 1280 * 3 / 2);
  EXPECT_EQ(FrameBytes(PixelFormat::kNv12, 2, 6), 18);
  EXPECT_EQ(FrameBytes(PixelFormat::kRgbF16, 2, 6), 72);
  EXPECT_EQ(FrameBytes(PixelFormat::kRgbF32, 2, 6), 144);
}

TEST(PixelFormat, FrameBytesDoNotOverflow32Bits) {
  EXPECT_EQ(FrameBytes(PixelFormat::kRgbF32, 65536, 65536), std::int64_t{12} << 32);
}

TEST(PixelFormat, RefusesSizesThatAreNotEvenAndPositive) {
  for (const PixelFormat format : kAllFormats) {
    EXPECT_THROW(FrameBytes(format, 3, 4), std::invalid_argument);
    EXPECT_THROW(FrameBytes(format, 4, 3), std::invalid_argument);
    EXPECT_THROW(FrameBytes(format, 0, 4), std::invalid_argument);
    EXPECT_THROW(FrameBytes(format, 4, -2), std::invalid_argument);
    const std::vector<float> rgb(3 * 3 * 4);
    std::vector<std::byte> out(3 * 4 * 3 * 4);
    EXPECT_THROW(PackFrame(format, 3, 4, rgb, out), std::invalid_argument);
  }
}

TEST(PixelFormat, RefusesBuffersOfAnotherSizeAndWritesNothing) {
  for (const PixelFormat format : kAllFormats) {
    const auto bytes = static_cast<std::size_t>(FrameBytes(format, 4, 6));
    const std::vector<float> rgb(3 * 4 * 6);
    std::vector<std::byte> out(bytes + 1, std::byte{0x5a});
    EXPECT_THROW(PackFrame(format, 4, 6, rgb, out), std::invalid_argument);
    EXPECT_THROW(PackFrame(format, 4, 6, rgb, std::span(out).first(bytes - 1)),
                 std::invalid_argument);
    EXPECT_THROW(
        PackFrame(format, 4, 6, std::span(rgb).first(rgb.size() - 1), std::span(out).first(bytes)),
        std::invalid_argument);
    for (const std::byte byte : out) ASSERT_EQ(byte, std::byte{0x5a});
  }
}

TEST(PixelFormat, RefusesAValueOutsideTheEnum) {
  EXPECT_THROW(PixelFormatName(static_cast<PixelFormat>(17)), std::invalid_argument);
  EXPECT_THROW(FrameBytes(static_cast<PixelFormat>(17), 4, 4), std::invalid_argument);
}

}  // namespace
}  // namespace causeway::frame
