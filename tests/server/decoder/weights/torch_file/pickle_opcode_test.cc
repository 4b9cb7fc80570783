// SPDX-License-Identifier: Apache-2.0
#include "server/decoder/weights/torch_file/pickle_opcode.h"

#include <set>

#include <gtest/gtest.h>

namespace causeway::decoder {
namespace {

TEST(PickleOpcode, NamesWhatWouldRunCode) {
  EXPECT_EQ(PickleOpcodeName('i'), "INST (0x69)");
  EXPECT_EQ(PickleOpcodeName(0x81), "NEWOBJ (0x81)");
  EXPECT_EQ(PickleOpcodeName(0x93), "STACK_GLOBAL (0x93)");
  EXPECT_EQ(PickleOpcodeName(0xFF), "0xff");
}

// 68 opcodes in CPython 3.11's pickletools.opcodes.
TEST(PickleOpcode, KnowsEveryOpcodeOfTheFiveProtocolsOnce) {
  std::set<std::string> names;
  for (int code = 0; code < 256; ++code) {
    const std::string name = PickleOpcodeName(static_cast<std::uint8_t>(code));
    if (!name.starts_with("0x")) names.insert(name.substr(0, name.find(' ')));
  }
  EXPECT_EQ(names.size(), 68u);
}

}  // namespace
}  // namespace causeway::decoder
