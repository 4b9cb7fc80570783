// SPDX-License-Identifier: Apache-2.0
#include "server/decoder/weights/torch_file/pickle_input.h"

#include <bit>

#include "server/base/utf8.h"
#include "server/decoder/weights/torch_file/pickle.h"

namespace causeway::decoder {

void PickleInput::Refuse(const std::string& problem) const {
  throw PickleError(opcode_at_, problem);
}

PickleOpcode PickleInput::TakeOpcode() {
  opcode_at_ = at_;
  if (at_ == bytes_.size()) Refuse("ends without STOP (is it truncated?)");
  opcode_ = static_cast<PickleOpcode>(bytes_[at_++]);
  return opcode_;
}

std::span<const std::byte> PickleInput::Take(std::size_t size) {
  if (size > bytes_left()) {
    Refuse(PickleOpcodeName(static_cast<std::uint8_t>(opcode_)) +
           " goes beyond the end (is it truncated?)");
  }
  at_ += size;
  return bytes_.subspan(at_ - size, size);
}

std::uint64_t PickleInput::TakeNumber(std::size_t size) {
  std::uint64_t number = 0;
  const std::span<const std::byte> bytes = Take(size);
  for (std::size_t i = 0; i < size; ++i) {
    number |= std::to_integer<std::uint64_t>(bytes[i]) << (8 * i);
  }
  return number;
}

std::int64_t PickleInput::TakeLong() {
  const std::size_t size = TakeNumber(1);
  if (size > 8) Refuse("integer: got " + std::to_string(size) + " bytes, allowed: at most 8");
  std::uint64_t number = TakeNumber(size);
  const bool is_negative = size > 0 && (number >> (8 * size - 1)) != 0;
  if (is_negative && size < 8) number |= ~std::uint64_t{0} << (8 * size);
  return static_cast<std::int64_t>(number);
}

double PickleInput::TakeReal() {
  std::uint64_t bits = 0;
  for (const std::byte byte : Take(8)) bits = bits << 8 | std::to_integer<std::uint64_t>(byte);
  return std::bit_cast<double>(bits);
}

std::string_view PickleInput::TakeString() {
  const std::uint64_t size = TakeNumber(4);
  if (size > kMaxPickleStringBytes) {
    Refuse("string: got " + std::to_string(size) + " bytes, allowed: at most " +
           std::to_string(kMaxPickleStringBytes));
  }
  const std::span<const std::byte> bytes = Take(size);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = Utf8SequenceLength(text, i);
    if (length == 0) Refuse("string: got " + Quote(text) + ", allowed: UTF-8");
    i += length;
  }
  return text;
}

std::string PickleInput::TakeGlobalName() {
  std::string name(TakeLine());
  name += '.';
  name += TakeLine();
  return name;
}

std::string_view PickleInput::TakeLine() {
  const std::size_t begin = at_;
  while (at_ - begin <= kMaxPickleNameBytes) {
    if (Take(1)[0] == std::byte{'\n'}) {
      return {reinterpret_cast<const char*>(bytes_.data() + begin), at_ - begin - 1};
    }
  }
  Refuse("global: got a name of more than " + std::to_string(kMaxPickleNameBytes) + " bytes");
}

}  // namespace causeway::decoder
