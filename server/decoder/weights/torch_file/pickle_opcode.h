// SPDX-License-Identifier: Apache-2.0
// The opcodes of Python's pickle, for the reader and for messages.
// Source: CPython 3.11, Lib/pickletools.py.
#pragma once

#include <cstdint>
#include <string>

namespace causeway::decoder {

/// Those that the reader executes: what torch.save emits for a state dict.
enum class PickleOpcode : std::uint8_t {
  kMark = '(',
  kStop = '.',
  kBinFloat = 'G',
  kBinInt = 'J',
  kBinInt1 = 'K',
  kBinInt2 = 'M',
  kNone = 'N',
  kBinPersistentId = 'Q',
  kReduce = 'R',
  kBinUnicode = 'X',
  kEmptyList = ']',
  kAppend = 'a',
  kBuild = 'b',
  kGlobal = 'c',
  kAppends = 'e',
  kBinGet = 'h',
  kLongBinGet = 'j',
  kBinPut = 'q',
  kLongBinPut = 'r',
  kSetItem = 's',
  kTuple = 't',
  kSetItems = 'u',
  kEmptyDict = '}',
  kEmptyTuple = ')',
  kProtocol = 0x80,
  kTuple1 = 0x85,
  kTuple2 = 0x86,
  kTuple3 = 0x87,
  kNewTrue = 0x88,
  kNewFalse = 0x89,
  kLong1 = 0x8a,
};

/// "INST (0x69)"; for a byte that is no opcode of protocols 0 to 5, "0x00" and the like.
std::string PickleOpcodeName(std::uint8_t opcode);

}  // namespace causeway::decoder
