// SPDX-License-Identifier: Apache-2.0
#include "server/decoder/weights/torch_file/pickle.h"

#include <gtest/gtest.h>

#include "tests/support/torch_files.h"

namespace causeway::decoder {
namespace {

using namespace test::pickle;

constexpr std::string_view kAllowed[] = {"torch.f", "torch.g"};
const std::string kOrderedDict = Global("collections", "OrderedDict");

std::string ErrorOfBytes(const std::string& bytes) {
  try {
    ReadPickle(std::as_bytes(std::span(bytes)), kAllowed);
  } catch (const PickleError& error) {
    const std::string message = error.what();
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    return message;
  }
  return {};
}

/// Of the operations between PROTO 2 and STOP.
std::string ErrorOf(const std::string& operations) {
  return ErrorOfBytes(Start() + operations + ".");
}

class PickleTest : public testing::Test {
 protected:
  /// The root; what it refers to is in pickle_.
  const PickleValue& Read(const std::string& operations) {
    bytes_ = Start() + operations + ".";
    pickle_ = ReadPickle(std::as_bytes(std::span(bytes_)), kAllowed);
    return pickle_.at(pickle_.root);
  }

  std::string bytes_;
  Pickle pickle_;
};

TEST_F(PickleTest, ReadsEachKindOfValue) {
  EXPECT_TRUE(std::holds_alternative<PickleNone>(Read("N")));
  EXPECT_EQ(std::get<bool>(Read("\x88")), true);
  EXPECT_EQ(std::get<bool>(Read("\x89")), false);
  EXPECT_EQ(std::get<std::int64_t>(Read(Integer(-7))), -7);
  EXPECT_EQ(std::get<std::int64_t>(Read("K\xFF")), 255);
  EXPECT_EQ(std::get<std::int64_t>(Read("M\xFF\xFF")), 65535);
  EXPECT_EQ(std::get<std::int64_t>(Read("\x8a\x05\1\1\1\1\1")), 0x101010101);
  EXPECT_EQ(std::get<double>(Read(std::string("G\xC0\0\0\0\0\0\0\0", 9))), -2.0);
  EXPECT_EQ(std::get<std::string_view>(Read(Text("name"))), "name");
  EXPECT_EQ(std::get<PickleGlobal>(Read(Global("torch", "g"))).name, "torch.g");
  EXPECT_EQ(std::get<PickleTuple>(Read(")")).items.size(), 0u);
  EXPECT_EQ(std::get<PickleTuple>(Read("NNN\x87")).items, (std::vector<PickleId>{0, 1, 2}));
  EXPECT_EQ(std::get<PickleTuple>(Read("(NNNNt")).items, (std::vector<PickleId>{0, 1, 2, 3}));
  EXPECT_EQ(std::get<PickleList>(Read("]Na(NNe")).items.size(), 3u);
}

TEST_F(PickleTest, KeepsCallsAsData) {
  const auto& call = std::get<PickleCall>(Read(Global("torch", "f") + "NK\x05\x86R"));
  EXPECT_EQ(call.function, "torch.f");
  ASSERT_EQ(call.arguments.size(), 2u);
  EXPECT_EQ(*pickle_.Get<std::int64_t>(call.arguments[1]), 5);
  const auto& persistent = std::get<PicklePersistent>(Read("K\x05Q"));
  EXPECT_EQ(*pickle_.Get<std::int64_t>(persistent.id), 5);
}

TEST_F(PickleTest, ReadsAnOrderedDictAndDropsItsAttributes) {
  const std::string attributes = Dict(Text("_metadata") + kOrderedDict + ")R");
  const auto& dict = std::get<PickleDict>(
      Read(kOrderedDict + ")R" + Text("a") + "K\1s(" + Text("b") + "K\2u" + attributes + "b"));
  ASSERT_EQ(dict.items.size(), 2u);
  EXPECT_EQ(*pickle_.Get<std::string_view>(dict.items[1].first), "b");
  EXPECT_EQ(*pickle_.Get<std::int64_t>(dict.items[1].second), 2);
}

TEST_F(PickleTest, RemembersValues) {
  const auto items =
      std::get<PickleTuple>(Read(Text("a") + std::string("q\0", 2) + Text("b") +
                                 std::string("r\1\0\0\0", 5) + std::string("h\0", 2) +
                                 std::string("j\1\0\0\0", 5) + "\x86\x87"))
          .items;
  const auto inner = pickle_.Get<PickleTuple>(items[2])->items;
  EXPECT_EQ(inner, (std::vector<PickleId>{items[0], items[1]}));
}

// As in Python: harmless where nobody walks without a bound.
TEST_F(PickleTest, ReadsADictThatHoldsItself) {
  const auto& dict = std::get<PickleDict>(
      Read("}" + std::string("q\0", 2) + Text("self") + std::string("h\0", 2) + "s"));
  EXPECT_EQ(dict.items[0].second, pickle_.root);
}

TEST(Pickle, RefusesGlobalsThatTheCallerDoesNotList) {
  EXPECT_EQ(ErrorOf(Global("os", "system") + Text("rm -rf ~") + "\x85R"),
            "byte 2: is a pickle that would run code: it names 'os.system', which plain tensors do "
            "not need");
  for (const auto& [module, name] : {std::pair("builtins", "eval"),
                                     {"torch", "h"},
                                     {"", ""},
                                     {"torch.f", ""},
                                     {"posix", "system"}}) {
    EXPECT_TRUE(ErrorOf(Global(module, name) + ")R")
                    .starts_with("byte 2: is a pickle that would run code: it names '"))
        << module;
  }
}

TEST(Pickle, RefusesEveryOpcodeThatTorchDoesNotEmit) {
  const std::string known = "(.GJKMNQRX]abcehjqrstu})\x85\x86\x87\x88\x89\x8a";
  for (int code = 0; code < 256; ++code) {
    if (known.find(static_cast<char>(code)) != std::string::npos) continue;
    EXPECT_TRUE(ErrorOf(std::string(1, static_cast<char>(code)) + "os\nsystem\n")
                    .starts_with("byte 2: is a pickle that would run code, or holds more than "
                                 "plain tensors: opcode "))
        << code;
  }
  EXPECT_EQ(ErrorOf("(" + Text("ls") + "ios\nsystem\n"),
            "byte 10: is a pickle that would run code, or holds more than plain tensors: opcode "
            "INST (0x69)");
}

TEST(Pickle, RefusesWhatTheStackDoesNotHave) {
  const std::string missing = " needs a value that the stack does not have";
  EXPECT_EQ(ErrorOf(""), "byte 2: STOP (0x2e)" + missing);
  EXPECT_EQ(ErrorOf("\x85"), "byte 2: TUPLE1 (0x85)" + missing);
  EXPECT_EQ(ErrorOf("NN\x87"), "byte 4: TUPLE3 (0x87)" + missing);
  EXPECT_EQ(ErrorOf("N(\x85"), "byte 4: TUPLE1 (0x85)" + missing);
  EXPECT_EQ(ErrorOf("}(Ns"), "byte 5: SETITEM (0x73)" + missing);
  EXPECT_EQ(ErrorOf("NNs"), "byte 4: SETITEM (0x73)" + missing);
  EXPECT_EQ(ErrorOf("Q"), "byte 2: BINPERSID (0x51)" + missing);
  EXPECT_EQ(ErrorOf("R"), "byte 2: REDUCE (0x52)" + missing);
  EXPECT_EQ(ErrorOf("b"), "byte 2: BUILD (0x62)" + missing);
  EXPECT_EQ(ErrorOf("a"), "byte 2: APPEND (0x61)" + missing);
  EXPECT_EQ(ErrorOf("q\1"), "byte 2: BINPUT (0x71)" + missing);
  EXPECT_EQ(ErrorOf("Nt"), "byte 3: TUPLE (0x74) needs a MARK, and there is none");
  EXPECT_EQ(ErrorOf("}u"), "byte 3: SETITEMS (0x75) needs a MARK, and there is none");
}

TEST(Pickle, RefusesOperationsOnOtherKinds) {
  EXPECT_EQ(ErrorOf("NNNs"), "byte 5: SETITEM (0x73): got None, allowed: a dict");
  EXPECT_EQ(ErrorOf("}Na"), "byte 4: APPEND (0x61): got a dict, allowed: a list");
  EXPECT_EQ(ErrorOf("}(Nu"), "byte 5: SETITEMS (0x75): got a key without a value");
  EXPECT_EQ(ErrorOf("N)R"), "byte 4: REDUCE (0x52): got None, allowed: a global");
  EXPECT_EQ(ErrorOf(Global("torch", "f") + "}R"),
            "byte 12: REDUCE (0x52): got a dict, allowed: a tuple of arguments");
  EXPECT_EQ(ErrorOf(kOrderedDict + "N\x85R"), "byte 29: OrderedDict: got arguments, allowed: none");
  EXPECT_EQ(ErrorOf("N}b"), "byte 4: BUILD (0x62): got None, allowed: an OrderedDict");
  EXPECT_EQ(ErrorOf("})b"), "byte 4: BUILD (0x62): got a tuple, allowed: a dict of attributes");
}

TEST(Pickle, RefusesMemoSlotsThatWereNeverPut) {
  EXPECT_EQ(ErrorOf(std::string("h\0", 2)), "byte 2: memo slot: got 0, which was never put");
  EXPECT_EQ(ErrorOf("j\xFF\xFF\xFF\xFF"), "byte 2: memo slot: got 4294967295, which was never put");
  EXPECT_EQ(ErrorOf("Nr\xFF\xFF\xFF\xFF"),
            "byte 3: memo slot: got 4294967295, allowed: up to the next one, 0");
}

TEST(Pickle, RefusesWhatIsNoWholePickle) {
  EXPECT_EQ(ErrorOfBytes(""), "byte 0: ends without STOP (is it truncated?)");
  EXPECT_EQ(ErrorOfBytes(Start() + "N"), "byte 3: ends without STOP (is it truncated?)");
  EXPECT_EQ(ErrorOfBytes(Start() + "N.N"), "byte 3: STOP: got 1 bytes behind it");
  EXPECT_EQ(ErrorOf("NN"), "byte 4: STOP: got 2 values, allowed: 1");
  EXPECT_EQ(ErrorOf("(N"), "byte 4: STOP inside of an open MARK");
  EXPECT_EQ(ErrorOfBytes("N."),
            "byte 0: is no pickle of protocol 2 or 3: got NONE (0x4e), allowed: PROTO (0x80)");
  EXPECT_EQ(ErrorOfBytes("\x80\x04\x95"), "byte 0: pickle protocol: got 4, allowed: 2, 3");
}

TEST(Pickle, BoundsNestingOperationsArgumentsAndSize) {
  EXPECT_EQ(ErrorOf(std::string(100'000, '(')), "byte 66: nesting: got more than 64 open MARKs");
  std::string many = "N";
  for (std::size_t i = 0; i < kMaxPickleOperations; ++i) many += '\x85';
  EXPECT_EQ(ErrorOf(many), "byte 1048577: operations: got more than 1048576");
  EXPECT_EQ(ErrorOf(Global("torch", "f") + Tuple(std::string(17, 'N')) + "R"),
            "byte 30: torch.f: got 17 arguments, allowed: at most 16");
  EXPECT_EQ(ErrorOfBytes(std::string(kMaxPickleBytes + 1, 'N')),
            "byte 0: size: got 8388609 bytes, allowed: at most 8388608");
}

}  // namespace
}  // namespace causeway::decoder
