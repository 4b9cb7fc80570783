// SPDX-License-Identifier: Apache-2.0
#include "server/base/crc32c.h"

#include <array>
#include <cstring>

namespace causeway {
namespace {

constexpr std::uint32_t kPolynomial = 0x82F63B78u;

using Table = std::array<std::array<std::uint32_t, 256>, 8>;

/// kTables[n][b]: the remainder of byte b followed by n zero bytes.
constexpr Table MakeTables() {
  Table tables{};
  for (std::uint32_t value = 0; value < 256; ++value) {
    std::uint32_t remainder = value;
    for (int bit = 0; bit < 8; ++bit) {
      remainder = (remainder >> 1) ^ ((remainder & 1u) != 0 ? kPolynomial : 0u);
    }
    tables[0][value] = remainder;
  }
  for (std::size_t zeros = 1; zeros < tables.size(); ++zeros) {
    for (std::size_t value = 0; value < 256; ++value) {
      const std::uint32_t shorter = tables[zeros - 1][value];
      tables[zeros][value] = (shorter >> 8) ^ tables[0][shorter & 0xFFu];
    }
  }
  return tables;
}
constexpr Table kTables = MakeTables();

std::uint32_t AddByte(std::uint32_t state, std::byte value) {
  return (state >> 8) ^ kTables[0][(state ^ static_cast<std::uint32_t>(value)) & 0xFFu];
}

std::uint64_t LoadWord(const std::byte* at) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof(word));
  return word;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) std::uint32_t Crc32cByInstruction(
    std::span<const std::byte> bytes) {
  std::uint64_t state = ~std::uint32_t{0};
  std::size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8) {
    state = __builtin_ia32_crc32di(state, LoadWord(bytes.data() + at));
  }
  auto narrow = static_cast<std::uint32_t>(state);
  for (; at < bytes.size(); ++at) {
    narrow = __builtin_ia32_crc32qi(narrow, static_cast<unsigned char>(bytes[at]));
  }
  return ~narrow;
}
#endif

}  // namespace

std::uint32_t Crc32cByTable(std::span<const std::byte> bytes) {
  std::uint32_t state = ~std::uint32_t{0};
  std::size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8) {
    const std::uint64_t word = LoadWord(bytes.data() + at) ^ state;
    state = 0;
    for (std::size_t byte = 0; byte < 8; ++byte) {
      state ^= kTables[7 - byte][(word >> (8 * byte)) & 0xFFu];
    }
  }
  for (; at < bytes.size(); ++at) state = AddByte(state, bytes[at]);
  return ~state;
}

std::uint32_t Crc32c(std::span<const std::byte> bytes) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("sse4.2")) return Crc32cByInstruction(bytes);
#endif
  return Crc32cByTable(bytes);
}

}  // namespace causeway
