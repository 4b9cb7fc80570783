// SPDX-License-Identifier: Apache-2.0
// The bytes of a pickle as opcodes and their arguments. What they do is pickle.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "server/decoder/weights/torch_file/pickle_opcode.h"

namespace causeway::decoder {

/// Goes from front to back; every Take moves behind what it returns. Throws PickleError, at the
/// byte of the last opcode, where the bytes end too early or a bound of pickle.h is exceeded.
class PickleInput {
 public:
  explicit PickleInput(std::span<const std::byte> bytes) : bytes_(bytes) {}

  /// Any byte, so perhaps none of the enumerators.
  PickleOpcode TakeOpcode();
  PickleOpcode opcode() const { return opcode_; }
  std::size_t bytes_left() const { return bytes_.size() - at_; }

  /// Little endian, without sign; `size` at most 8.
  std::uint64_t TakeNumber(std::size_t size);
  /// LONG1: a byte with the length, at most 8, and two's complement.
  std::int64_t TakeLong();
  /// BINFLOAT: a double, big endian.
  double TakeReal();
  /// BINUNICODE: four bytes with the length, and UTF-8.
  std::string_view TakeString();
  /// GLOBAL: a line with the module, a line with the name; joined by a dot.
  std::string TakeGlobalName();

  [[noreturn]] void Refuse(const std::string& problem) const;

 private:
  std::span<const std::byte> Take(std::size_t size);
  std::string_view TakeLine();

  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
  std::size_t opcode_at_ = 0;
  PickleOpcode opcode_{};
};

}  // namespace causeway::decoder
