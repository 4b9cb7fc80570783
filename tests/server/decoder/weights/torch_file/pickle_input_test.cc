// SPDX-License-Identifier: Apache-2.0
#include "server/decoder/weights/torch_file/pickle_input.h"

#include <limits>

#include <gtest/gtest.h>

#include "server/decoder/weights/torch_file/pickle.h"
#include "tests/support/torch_files.h"

namespace causeway::decoder {
namespace {

using test::LittleEndian;

PickleInput Input(const std::string& bytes) { return PickleInput(std::as_bytes(std::span(bytes))); }

template <typename Take>
std::string ErrorOf(const std::string& bytes, Take take) {
  PickleInput input = Input(bytes);
  input.TakeOpcode();
  try {
    take(input);
  } catch (const PickleError& error) {
    return error.what();
  }
  return {};
}

TEST(PickleInput, TakesWhatTorchWrites) {
  const std::string bytes = "K\x07" + std::string("X\x03\0\0\0a\xC3\xA4", 8) + "cmodule\nname\n" +
                            "\x8a\x01\xFE" + std::string("G\x3F\xF8\0\0\0\0\0\0", 9);
  PickleInput input = Input(bytes);
  EXPECT_EQ(input.TakeOpcode(), PickleOpcode::kBinInt1);
  EXPECT_EQ(input.TakeNumber(1), 7u);
  EXPECT_EQ(input.TakeOpcode(), PickleOpcode::kBinUnicode);
  EXPECT_EQ(input.TakeString(), "a\xC3\xA4");
  EXPECT_EQ(input.TakeOpcode(), PickleOpcode::kGlobal);
  EXPECT_EQ(input.TakeGlobalName(), "module.name");
  EXPECT_EQ(input.TakeOpcode(), PickleOpcode::kLong1);
  EXPECT_EQ(input.TakeLong(), -2);
  EXPECT_EQ(input.TakeOpcode(), PickleOpcode::kBinFloat);
  EXPECT_EQ(input.TakeReal(), 1.5);
  EXPECT_EQ(input.bytes_left(), 0u);
}

TEST(PickleInput, TakesLongIntegersOfEachLength) {
  const auto take = [](const std::string& bytes) { return Input(bytes).TakeLong(); };
  EXPECT_EQ(take(std::string("\0", 1)), 0);
  EXPECT_EQ(take("\x01\xFF"), -1);
  EXPECT_EQ(take(std::string("\x02\xFF\0", 3)), 255);
  EXPECT_EQ(take("\x06" + LittleEndian(1ull << 40, 6)), std::int64_t{1} << 40);
  EXPECT_EQ(take("\x08" + LittleEndian(1ull << 63, 8)), std::numeric_limits<std::int64_t>::min());
}

TEST(PickleInput, RefusesWhatGoesBeyondTheEndOrABound) {
  const auto string = [](PickleInput& input) { input.TakeString(); };
  const auto global = [](PickleInput& input) { input.TakeGlobalName(); };
  EXPECT_EQ(ErrorOf("X\x05", string),
            "byte 0: BINUNICODE (0x58) goes beyond the end (is it "
            "truncated?)");
  EXPECT_EQ(ErrorOf("X" + LittleEndian(5, 4) + "abcd", string),
            "byte 0: BINUNICODE (0x58) goes beyond the end (is it truncated?)");
  EXPECT_EQ(ErrorOf("X" + LittleEndian(0xFFFFFFFF, 4), string),
            "byte 0: string: got 4294967295 bytes, allowed: at most 65536");
  EXPECT_EQ(ErrorOf("X" + LittleEndian(2, 4) + "a\xFF", string),
            "byte 0: string: got 'a?', allowed: UTF-8");
  EXPECT_EQ(ErrorOf("cmodule\nname", global),
            "byte 0: GLOBAL (0x63) goes beyond the end (is it truncated?)");
  EXPECT_EQ(ErrorOf("c" + std::string(1000, 'a') + "\nb\n", global),
            "byte 0: global: got a name of more than 256 bytes");
  EXPECT_EQ(ErrorOf("\x8a\x09" + std::string(9, '\1'), [](PickleInput& i) { i.TakeLong(); }),
            "byte 0: integer: got 9 bytes, allowed: at most 8");
  EXPECT_EQ(ErrorOf("K", [](PickleInput& input) { input.TakeOpcode(); }),
            "byte 1: ends without STOP (is it truncated?)");
}

}  // namespace
}  // namespace causeway::decoder
