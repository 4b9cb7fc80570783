// SPDX-License-Identifier: Apache-2.0
#include "server/decoder/weights/torch_file/checkpoint.h"

#include <gtest/gtest.h>

#include "tests/support/test_folder.h"
#include "tests/support/torch_files.h"

namespace causeway::decoder {
namespace {

using test::Checkpoint;
using test::MakeZip;
using test::TensorPickle;
using test::ZipStyle;
using namespace test::pickle;

/// What is said of a file with that content, after its path; empty where it is accepted.
std::string ErrorOf(const std::string& content) {
  const std::string message =
      test::FileErrorOf([&] { ReadCheckpoint("x.pth", std::as_bytes(std::span(content))); });
  return message.empty() ? message : message.substr(std::string("x.pth: ").size());
}

std::string ErrorOf(const TensorPickle& tensor) { return ErrorOf(Checkpoint(tensor)); }

TEST(Checkpoint, TakesAZipFileThatAnotherProgramPacked) {
  const std::string pickle = Start() + Dict(Text("x") + TensorPickle().Bytes()) + ".";
  const std::string storage(24, '\0');
  EXPECT_EQ(
      ErrorOf(
          MakeZip({{"my model/", ""}, {"my model/data.pkl", pickle}, {"my model/data/0", storage}},
                  ZipStyle::kPlain)
              .bytes),
      "");
}

TEST(Checkpoint, RefusesWhatIsNoCheckpoint) {
  const std::string pickle = Start() + "}.";
  for (const char* name : {"data.pkl", "archive/code/data.pkl", "archive/my_data.pkl"}) {
    EXPECT_EQ(ErrorOf(MakeZip({{name, pickle}}).bytes),
              "is a zip file, but no PyTorch checkpoint: it holds no archive/data.pkl");
  }
  EXPECT_EQ(ErrorOf(MakeZip({{"a/data.pkl", pickle}, {"b/data.pkl", pickle}}).bytes),
            "holds two pickles, one of them 'b/data.pkl'");
  EXPECT_EQ(ErrorOf(MakeZip({{"a/data.pkl", pickle}, {"a/byteorder", "big"}}).bytes),
            "byteorder: got 'big', allowed: little");
  EXPECT_EQ(ErrorOf(Checkpoint(Global("os", "system") + Text("ls") + "\x85R")),
            "pickle 'archive/data.pkl', byte 2: is a pickle that would run code: it names "
            "'os.system', which plain tensors do not need");
  EXPECT_EQ(ErrorOf(MakeZip({{"line\nbreak/data.pkl", ""}}).bytes),
            "pickle 'line?break/data.pkl', byte 0: ends without STOP (is it truncated?)");
  EXPECT_EQ(ErrorOf(Checkpoint("N")), "holds None, allowed: a dict of tensors");
}

TEST(Checkpoint, RefusesATruncatedFileAtEveryByte) {
  const std::string content = Checkpoint(TensorPickle());
  ASSERT_EQ(ErrorOf(content), "");
  for (std::size_t size = 1; size < content.size(); ++size) {
    EXPECT_NE(ErrorOf(content.substr(0, size)), "") << size;
  }
}

TEST(Checkpoint, RefusesNamesThatAreNoNames) {
  const std::string tensor = TensorPickle().Bytes();
  EXPECT_EQ(ErrorOf(Checkpoint(Dict(Integer(3) + tensor))),
            "a name of a tensor: got an integer, allowed: a string");
  EXPECT_EQ(ErrorOf(Checkpoint(Dict(Text("x") + tensor + Text("x") + tensor))),
            "two tensors are named 'x'");
  EXPECT_EQ(ErrorOf(Checkpoint(Dict(Text("line\nbreak") + "}"))),
            "tensor 'line?break': got a dict, allowed: a plain tensor");
  const std::string inner = Dict(Text("x") + tensor);
  EXPECT_EQ(ErrorOf(Checkpoint(Dict(Text("model") + inner + Text("model") + inner))),
            "holds two dicts of tensors, one of them 'model'; allowed: one, under state_dict or "
            "model");
}

// A dict under "model" that is the dict itself: looked at once, so its entries are no tensors.
TEST(Checkpoint, RefusesADictThatHoldsItself) {
  EXPECT_EQ(ErrorOf(Checkpoint("}" + std::string("q\0", 2) + Text("model") + std::string("h\0", 2) +
                               "s")),
            "tensor 'model': got a dict, allowed: a plain tensor");
}

TEST(Checkpoint, RefusesStoragesThatTheFileDoesNotHold) {
  TensorPickle tensor;
  tensor.key = Text("1");
  EXPECT_EQ(ErrorOf(tensor), "tensor 'x' storage: got '1', which the file does not hold");
  tensor.key = Text("../byteorder");
  EXPECT_EQ(ErrorOf(tensor),
            "tensor 'x' storage: got '../byteorder', which the file does not hold");
  tensor = TensorPickle();
  tensor.storage_type = Global("torch", "DoubleStorage");
  EXPECT_EQ(ErrorOf(tensor), "tensor 'x' storage: got 6 elements of F64 in 24 bytes");
  tensor = TensorPickle();
  for (const std::int32_t count : {0, 5, 7, 0x7FFFFFFF}) {
    tensor.storage_count = Integer(count);
    EXPECT_EQ(ErrorOf(tensor),
              "tensor 'x' storage: got " + std::to_string(count) + " elements of F32 in 24 bytes");
  }
  // 2^62 + 6 elements of 4 bytes would be 24 bytes in 64 bits.
  tensor.storage_count = "\x8a\x08" + test::LittleEndian((1ull << 62) + 6, 8);
  EXPECT_EQ(ErrorOf(tensor),
            "tensor 'x' storage: got 4611686018427387910 elements of F32 in 24 bytes");
}

TEST(Checkpoint, RefusesStoragesOfAnotherForm) {
  const std::string parts =
      "tensor 'x' storage: got parts of other kinds, allowed: 'storage', type, key, device, "
      "elements";
  TensorPickle tensor;
  tensor.storage_count = Integer(-6);
  EXPECT_EQ(ErrorOf(tensor), parts);
  tensor = TensorPickle();
  tensor.storage_type = Text("FloatStorage");
  EXPECT_EQ(ErrorOf(tensor), parts);
  tensor.storage_type = Global("torch._utils", "_rebuild_tensor_v2");
  EXPECT_EQ(
      ErrorOf(tensor),
      "tensor 'x' storage: got 'torch._utils._rebuild_tensor_v2', allowed: a type of storage");
  tensor.storage_type = Global("torch", "QInt8Storage");
  EXPECT_TRUE(
      ErrorOf(tensor).ends_with("it names 'torch.QInt8Storage', which plain tensors do not need"));
  tensor = TensorPickle();
  tensor.key = "N";
  EXPECT_EQ(ErrorOf(tensor), parts);
  tensor.key = "NN";
  EXPECT_EQ(ErrorOf(tensor),
            "tensor 'x' storage: got a persistent object, allowed: a stored one of five parts");
}

TEST(Checkpoint, RefusesTensorsBeyondTheirStorage) {
  const auto error = [&](std::int32_t offset, const std::string& shape) {
    TensorPickle tensor;
    tensor.offset = Integer(offset);
    tensor.shape = Tuple(shape);
    tensor.strides = Tuple(Integer(1) + Integer(1));
    return ErrorOf(tensor);
  };
  const std::string column = Integer(1) + Integer(6);
  EXPECT_EQ(error(0, column), "");
  EXPECT_EQ(error(6, Integer(0) + Integer(6)), "");
  EXPECT_EQ(error(1, column),
            "tensor 'x': shape [1, 6] at element 1 does not fit its storage of 6 elements");
  EXPECT_EQ(error(7, Integer(0) + Integer(6)),
            "tensor 'x': shape [0, 6] at element 7 does not fit its storage of 6 elements");
  EXPECT_EQ(error(-1, column),
            "tensor 'x': shape [1, 6] at element -1 does not fit its storage of 6 elements");
  EXPECT_EQ(
      error(0x7FFFFFFF, column),
      "tensor 'x': shape [1, 6] at element 2147483647 does not fit its storage of 6 elements");
  EXPECT_EQ(error(0, Integer(-1) + Integer(-6)),
            "tensor 'x' shape: got [-1, -6], allowed: extents from 0");
  // 2^40 * 2^40 elements: no number of 63 bits.
  const std::string huge = "\x8a\x06" + test::LittleEndian(1ull << 40, 6);
  EXPECT_EQ(error(0, huge + huge),
            "tensor 'x' shape: got [1099511627776, 1099511627776], allowed: extents from 0");
}

TEST(Checkpoint, RefusesStridesOfATensorThatIsNotContiguous) {
  const auto error = [&](const std::string& strides) {
    TensorPickle tensor;
    tensor.strides = Tuple(strides);
    return ErrorOf(tensor);
  };
  const auto refused = [](const std::string& strides) {
    return "tensor 'x': got strides " + strides +
           " for shape [2, 3], allowed: a contiguous tensor; save it after .contiguous()";
  };
  EXPECT_EQ(error(Integer(3) + Integer(1)), "");
  EXPECT_EQ(error(Integer(-3) + Integer(1)), refused("[-3, 1]"));
  EXPECT_EQ(error(Integer(0) + Integer(0)), refused("[0, 0]"));
  EXPECT_EQ(error(Integer(1) + Integer(2)), refused("[1, 2]"));
  EXPECT_EQ(error(Integer(1)), refused("[1]"));
  EXPECT_EQ(error(""), refused("[]"));
}

TEST(Checkpoint, RefusesTensorsOfAnotherForm) {
  const std::string plain = "tensor 'x': got an object, allowed: a plain tensor";
  const std::string rebuild = Global("torch._utils", "_rebuild_tensor_v2");
  const auto error = [&](const std::string& value) {
    return ErrorOf(Checkpoint(Dict(Text("x") + value)));
  };
  EXPECT_EQ(error(rebuild + ")R"), plain);
  EXPECT_EQ(error(rebuild + Tuple(TensorPickle().Arguments() + "N") + "R"), plain);
  EXPECT_EQ(error(Global("torch", "FloatStorage") + ")R"), plain);
  EXPECT_EQ(error(rebuild), "tensor 'x': got a global, allowed: a plain tensor");
  // A parameter of a parameter.
  const std::string parameter = Global("torch._utils", "_rebuild_parameter");
  EXPECT_EQ(error(parameter + Tuple(TensorPickle().Bytes() + "\x88N") + "R"), "");
  EXPECT_EQ(error(parameter +
                  Tuple(parameter + Tuple(TensorPickle().Bytes() + "\x88N") + "R\x88N") + "R"),
            plain);
  TensorPickle tensor;
  tensor.offset = "N";
  EXPECT_EQ(ErrorOf(tensor),
            "tensor 'x': shape [2, 3] at element None does not fit its storage of 6 elements");
  tensor = TensorPickle();
  tensor.shape = "]";
  EXPECT_EQ(ErrorOf(tensor), "tensor 'x' shape: got a list, allowed: a tuple of integers");
  tensor.shape = Tuple("\x88\x88");
  EXPECT_EQ(ErrorOf(tensor), "tensor 'x' shape: got a boolean, allowed: integers");
  tensor.shape = "(";
  for (int i = 0; i < 65; ++i) tensor.shape += "K\1";
  tensor.shape += "t";
  EXPECT_EQ(ErrorOf(tensor), "tensor 'x' shape: got 65 dimensions, allowed: at most 64");
}

}  // namespace
}  // namespace causeway::decoder
