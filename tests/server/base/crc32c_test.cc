// SPDX-License-Identifier: Apache-2.0
#include "server/base/crc32c.h"

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace causeway {
namespace {

std::vector<std::byte> Bytes(std::string_view text) {
  std::vector<std::byte> bytes;
  for (const char value : text) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

void ExpectBoth(const std::vector<std::byte>& bytes, std::uint32_t expected) {
  EXPECT_EQ(Crc32c(bytes), expected);
  EXPECT_EQ(Crc32cByTable(bytes), expected);
}

// RFC 3720 appendix B.4; the digits are the check value of the CRC catalogues.
TEST(Crc32c, GivesThePublishedValues) {
  std::vector<std::byte> rising;
  std::vector<std::byte> falling;
  for (int value = 0; value < 32; ++value) {
    rising.push_back(static_cast<std::byte>(value));
    falling.push_back(static_cast<std::byte>(31 - value));
  }
  ExpectBoth(std::vector<std::byte>(32, std::byte{0x00}), 0x8A9136AAu);
  ExpectBoth(std::vector<std::byte>(32, std::byte{0xFF}), 0x62A8AB43u);
  ExpectBoth(rising, 0x46DD794Eu);
  ExpectBoth(falling, 0x113FDB5Cu);
  ExpectBoth(Bytes("123456789"), 0xE3069283u);
  ExpectBoth({}, 0u);
}

TEST(Crc32c, IsTheSameWithAndWithoutTheInstructionForEveryLengthAndAlignment) {
  std::mt19937 engine(7);
  std::vector<std::byte> bytes(4099);
  for (std::byte& value : bytes) value = static_cast<std::byte>(engine() & 0xFFu);
  const std::span<const std::byte> all(bytes);
  for (std::size_t start = 0; start < 9; ++start) {
    for (std::size_t length = 0; length < 40; ++length) {
      const auto part = all.subspan(start, length);
      EXPECT_EQ(Crc32c(part), Crc32cByTable(part)) << start << " " << length;
    }
  }
  EXPECT_EQ(Crc32c(all), Crc32cByTable(all));
}

TEST(Crc32c, NoticesEveryFlippedBit) {
  std::vector<std::byte> bytes(64, std::byte{0x5A});
  const std::uint32_t before = Crc32c(bytes);
  for (std::byte& value : bytes) {
    for (int bit = 0; bit < 8; ++bit) {
      value ^= static_cast<std::byte>(1 << bit);
      EXPECT_NE(Crc32c(bytes), before);
      value ^= static_cast<std::byte>(1 << bit);
    }
  }
}

}  // namespace
}  // namespace causeway
