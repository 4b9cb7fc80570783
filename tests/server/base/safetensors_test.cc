// SPDX-License-Identifier: Apache-2.0
#include "server/base/safetensors.h"

#include <initializer_list>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/test_folder.h"

namespace causeway {
namespace {

using test::FileErrorOf;
using test::TestFolder;

std::string LengthBytes(std::uint64_t length) {
  std::string bytes(8, '\0');
  for (int i = 0; i < 8; ++i)
    bytes[static_cast<std::size_t>(i)] = static_cast<char>(length >> 8 * i);
  return bytes;
}

/// A file with that header and that much data.
std::string FileWith(const std::string& header, std::size_t data_bytes) {
  std::string data(data_bytes, '\0');
  for (std::size_t i = 0; i < data_bytes; ++i) data[i] = static_cast<char>(i);
  return LengthBytes(header.size()) + header + data;
}

/// An entry of a header: its name in quotes, a colon, and what describes the tensor.
std::string Tensor(std::string_view name, std::string_view dtype, std::string_view shape,
                   std::string_view offsets) {
  std::ostringstream entry;
  entry << '"' << name << R"(":{"dtype":")" << dtype << R"(","shape":)" << shape
        << R"(,"data_offsets":)" << offsets << '}';
  return entry.str();
}

std::string Header(std::initializer_list<std::string> entries) {
  std::string header(1, '{');
  for (const std::string& entry : entries) {
    if (header.size() > 1) header += ',';
    header += entry;
  }
  return header + '}';
}

class SafetensorsTest : public testing::Test {
 protected:
  /// What is said of a file with that content, after its path; empty where it is accepted.
  std::string ErrorOf(const std::string& content) const {
    const std::string path = folder_.Write("x.safetensors", content);
    const std::string message = FileErrorOf([&] { SafetensorsFile::Open(path); });
    if (message.empty()) return {};
    EXPECT_TRUE(message.starts_with(path + ": ")) << message;
    return message.substr(path.size() + 2);
  }

  std::string HeaderErrorOf(const std::string& header, std::size_t data_bytes) const {
    return ErrorOf(FileWith(header, data_bytes));
  }

  TestFolder folder_;
};

TEST_F(SafetensorsTest, ReadsTensorsAndMetadata) {
  const std::string header =
      Header({R"("__metadata__":{"format":"pt"})", Tensor("b", "U8", "[2,3]", "[4,10]"),
              Tensor("a", "F32", "[]", "[0,4]"), Tensor("empty", "F16", "[0,7]", "[10,10]")}) +
      "  ";
  SafetensorsFile file = SafetensorsFile::Open(folder_.Write("x", FileWith(header, 10)));
  EXPECT_EQ(file.path(), folder_.Path("x"));
  EXPECT_EQ(file.metadata().at("format"), "pt");
  ASSERT_EQ(file.tensors().size(), 3u);
  EXPECT_EQ(file.Find("c"), nullptr);

  const TensorView scalar = *file.Find("a");
  EXPECT_EQ(scalar.dtype, TensorDtype::kF32);
  EXPECT_TRUE(scalar.shape.empty());
  EXPECT_EQ(scalar.element_count(), 1);
  const TensorView matrix = *file.Find("b");
  EXPECT_EQ(matrix.shape, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(file.Find("empty")->element_count(), 0);

  const SafetensorsFile moved = std::move(file);
  ASSERT_EQ(matrix.bytes.size(), 6u);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(std::to_integer<std::size_t>(matrix.bytes[i]), i + 4);
  }
  EXPECT_EQ(moved.Find("b")->bytes.data(), matrix.bytes.data());
}

TEST_F(SafetensorsTest, AcceptsAFileWithoutTensors) { EXPECT_EQ(HeaderErrorOf("{}", 0), ""); }

// 640 = 0x0280: the first two bytes are those of a pickle, and yet this is a good file.
TEST_F(SafetensorsTest, AcceptsAHeaderLengthThatLooksLikeAPickle) {
  std::string header = Header({Tensor("a", "U8", "[1]", "[0,1]")});
  header.resize(0x0280, ' ');
  EXPECT_EQ(HeaderErrorOf(header, 1), "");
}

TEST_F(SafetensorsTest, RefusesEveryTruncation) {
  const std::string content = FileWith(
      Header({Tensor("a", "F32", "[2]", "[0,8]"), Tensor("b", "BF16", "[3]", "[8,14]")}), 14);
  EXPECT_EQ(ErrorOf(content), "");
  for (std::size_t length = 0; length < content.size(); ++length) {
    EXPECT_NE(ErrorOf(content.substr(0, length)), "") << length;
  }
  EXPECT_EQ(ErrorOf(content + "x"), "1 unused bytes after the last tensor");
}

TEST_F(SafetensorsTest, NeverFailsOtherThanByRefusalOnChangedBytes) {
  const std::string content =
      FileWith(Header({R"("__metadata__":{"k":"v"})", Tensor("a", "F32", "[2]", "[0,8]"),
                       Tensor("b", "BF16", "[3]", "[8,14]")}),
               14);
  int accepted = 0;
  for (std::size_t at = 0; at < content.size() - 14; ++at) {
    for (const char byte : {'"', '9', '}', '\xFF'}) {
      std::string changed = content;
      changed[at] = byte;
      if (ErrorOf(changed).empty()) ++accepted;
    }
  }
  // Only a byte that stayed the same, or one inside a name or the metadata, leaves a good file.
  EXPECT_GT(accepted, 0);
  EXPECT_LT(accepted, 100);
}

TEST_F(SafetensorsTest, RefusesImpossibleHeaderLengths) {
  const std::string tail(100, ' ');
  EXPECT_EQ(ErrorOf("abc"), "has 3 bytes, too short for a safetensors file (is it truncated?)");
  EXPECT_EQ(ErrorOf(LengthBytes(0) + tail),
            "is not a safetensors file: its header does not start with '{'");
  EXPECT_EQ(ErrorOf(LengthBytes(0)),
            "is not a safetensors file: its header does not start with '{'");
  EXPECT_EQ(ErrorOf(LengthBytes(101) + tail),
            "header length got 101 bytes, but the file has 108 (is it truncated?)");
  EXPECT_EQ(ErrorOf(LengthBytes(kMaxSafetensorsHeaderBytes) + tail),
            "header length got 8388608 bytes, but the file has 108 (is it truncated?)");
  for (const std::uint64_t length : {kMaxSafetensorsHeaderBytes + 1, std::uint64_t{1} << 63,
                                     ~std::uint64_t{0}, ~std::uint64_t{7}}) {
    EXPECT_EQ(ErrorOf(LengthBytes(length) + tail), "is not a safetensors file: header length got " +
                                                       std::to_string(length) +
                                                       " bytes, allowed: at most 8388608");
  }
}

TEST_F(SafetensorsTest, RefusesHeadersThatAreNotJson) {
  EXPECT_EQ(HeaderErrorOf("{\"a\":}", 0), "header, byte 5: got '}', expected a value");
  EXPECT_EQ(HeaderErrorOf("{}{}", 0), "header, byte 2: text after the end of the value");
  EXPECT_EQ(HeaderErrorOf(std::string("{}\0", 3), 0),
            "header, byte 2: text after the end of the value");
  EXPECT_EQ(HeaderErrorOf(" {}", 0),
            "is not a safetensors file: its header does not start with '{'");
  EXPECT_EQ(HeaderErrorOf("[]", 0),
            "is not a safetensors file: its header does not start with '{'");
  EXPECT_EQ(HeaderErrorOf("{\"\xFF\":1}", 0), "header, byte 2: not UTF-8");
  const std::string tensor = Tensor("a", "U8", "[1]", "[0,1]");
  EXPECT_EQ(HeaderErrorOf(Header({tensor, tensor}), 1),
            "header, byte 53: the name 'a' for the second time");
  std::string deep = "{\"a\":";
  for (int i = 0; i < 100000; ++i) deep += '[';
  EXPECT_EQ(HeaderErrorOf(deep, 0), "header, byte 68: nested deeper than 64 levels");
}

TEST_F(SafetensorsTest, RefusesTensorEntriesOfAnotherForm) {
  const auto error = [&](const std::string& entry) {
    return HeaderErrorOf("{\"a\":" + entry + "}", 4);
  };
  const std::string dtypes = "F64, F32, F16, BF16, I64, I32, I16, I8, U8, BOOL";
  EXPECT_EQ(error("1"), "tensor 'a': got 1, allowed: an object");
  EXPECT_EQ(error("null"), "tensor 'a': got nothing, allowed: an object");
  EXPECT_EQ(error("{}"), "tensor 'a' dtype: got nothing, allowed: " + dtypes);
  EXPECT_EQ(error(R"({"dtype":"F8_E4M3","shape":[4],"data_offsets":[0,4]})"),
            "tensor 'a' dtype: got \"F8_E4M3\", allowed: " + dtypes);
  EXPECT_EQ(error(R"({"dtype":7,"shape":[4],"data_offsets":[0,4]})"),
            "tensor 'a' dtype: got 7, allowed: " + dtypes);
  EXPECT_EQ(error(R"({"dtype":"U8","data_offsets":[0,4]})"),
            "tensor 'a' shape: got nothing, allowed: an array");
  EXPECT_EQ(error(R"({"dtype":"U8","shape":[4]})"),
            "tensor 'a' data_offsets: got nothing, allowed: [begin, end] with begin <= end");
  EXPECT_EQ(error(R"({"dtype":"U8","shape":[4],"data_offsets":[0,4],"x":1})"),
            "tensor 'a': unknown field 'x'");
  EXPECT_EQ(error(R"({"dtype":"U8","shape":[4],"data_offsets":[0,4],"\n":1})"),
            "tensor 'a': unknown field '?'");
}

TEST_F(SafetensorsTest, RefusesImpossibleShapes) {
  const auto error = [&](const std::string& dtype, const std::string& shape) {
    return HeaderErrorOf(Header({Tensor("a", dtype, shape, "[0,4]")}), 4);
  };
  EXPECT_EQ(error("U8", "[-4]"),
            "tensor 'a' shape: got [-4], allowed: integers from 0 to 2^63 - 1");
  EXPECT_EQ(error("U8", "[4.5]"),
            "tensor 'a' shape: got [4.5], allowed: integers from 0 to 2^63 - 1");
  EXPECT_EQ(error("U8", "[18446744073709551615]"),
            "tensor 'a' shape: got [18446744073709551615], allowed: integers from 0 to 2^63 - 1");
  EXPECT_EQ(error("U8", "[\"4\"]"),
            "tensor 'a' shape: got [\"4\"], allowed: integers from 0 to 2^63 - 1");
  EXPECT_EQ(error("U8", "4"), "tensor 'a' shape: got 4, allowed: an array");
  EXPECT_EQ(error("U8", "[3]"), "tensor 'a': shape [3] of U8 does not fit its 4 bytes");
  EXPECT_EQ(error("F32", "[4]"), "tensor 'a': shape [4] of F32 does not fit its 4 bytes");
  EXPECT_EQ(error("F64", "[0]"), "tensor 'a': shape [0] of F64 does not fit its 4 bytes");
  EXPECT_EQ(error("F64", "[]"), "tensor 'a': shape [] of F64 does not fit its 4 bytes");
  // Products that would be 4 elements or 4 bytes modulo 2^64.
  EXPECT_EQ(error("U8", "[4611686018427387905,4]"),
            "tensor 'a': shape [4611686018427387905, 4] of U8 does not fit its 4 bytes");
  EXPECT_EQ(error("F32", "[4611686018427387905]"),
            "tensor 'a': shape [4611686018427387905] of F32 does not fit its 4 bytes");
  EXPECT_EQ(error("U8", "[4294967296,4294967296]"),
            "tensor 'a': shape [4294967296, 4294967296] of U8 does not fit its 4 bytes");
}

TEST_F(SafetensorsTest, RefusesOffsetsBeyondTheFile) {
  const auto error = [&](const std::string& offsets) {
    return HeaderErrorOf(Header({Tensor("a", "U8", "[4]", offsets)}), 4);
  };
  const std::string pair = ", allowed: [begin, end] with begin <= end";
  const std::string inside = ", allowed: up to the 4 bytes of data in the file (is it truncated?)";
  EXPECT_EQ(error("[0,4]"), "");
  EXPECT_EQ(error("[0,5]"), "tensor 'a' data_offsets: got [0,5]" + inside);
  EXPECT_EQ(error("[1,5]"), "tensor 'a' data_offsets: got [1,5]" + inside);
  EXPECT_EQ(error("[18446744073709551612,18446744073709551615]"),
            "tensor 'a' data_offsets: got [18446744073709551612,18446744073709551615]" + inside);
  EXPECT_EQ(error("[4,0]"), "tensor 'a' data_offsets: got [4,0]" + pair);
  EXPECT_EQ(error("[-4,0]"), "tensor 'a' data_offsets: got [-4,0]" + pair);
  EXPECT_EQ(error("[0]"), "tensor 'a' data_offsets: got [0]" + pair);
  EXPECT_EQ(error("[0,4,4]"), "tensor 'a' data_offsets: got [0,4,4]" + pair);
  EXPECT_EQ(error("[0,4.5]"), "tensor 'a' data_offsets: got [0,4.5]" + pair);
  EXPECT_EQ(error("null"), "tensor 'a' data_offsets: got nothing" + pair);
}

TEST_F(SafetensorsTest, RefusesOverlapsAndHoles) {
  const auto error = [&](const std::string& a, const std::string& b, std::size_t data_bytes) {
    return HeaderErrorOf(Header({Tensor("a", "U8", "[4]", a), Tensor("b", "U8", "[4]", b)}),
                         data_bytes);
  };
  EXPECT_EQ(error("[0,4]", "[4,8]", 8), "");
  EXPECT_EQ(error("[4,8]", "[0,4]", 8), "");
  EXPECT_EQ(error("[0,4]", "[0,4]", 4), "tensor 'b' overlaps another tensor");
  EXPECT_EQ(error("[0,4]", "[3,7]", 7), "tensor 'b' overlaps another tensor");
  EXPECT_EQ(error("[0,4]", "[5,9]", 9), "1 unused bytes before tensor 'b'");
  EXPECT_EQ(error("[1,5]", "[5,9]", 9), "1 unused bytes before tensor 'a'");
  EXPECT_EQ(error("[0,4]", "[4,8]", 9), "1 unused bytes after the last tensor");
  EXPECT_EQ(HeaderErrorOf("{}", 3), "3 unused bytes after the last tensor");
}

TEST_F(SafetensorsTest, RefusesMetadataThatIsNotText) {
  EXPECT_EQ(HeaderErrorOf(R"({"__metadata__":[]})", 0), "metadata: got [], allowed: an object");
  EXPECT_EQ(HeaderErrorOf(R"({"__metadata__":{"a":1}})", 0),
            "metadata 'a': got 1, allowed: a string");
}

TEST_F(SafetensorsTest, SaysWhatAnotherKindOfFileLooksLike) {
  const std::string pickle =
      "is a PyTorch checkpoint (pickle), which is not readable here: convert to safetensors";
  const std::string tail(200, 'x');
  EXPECT_EQ(ErrorOf(std::string("PK\x03\x04\x00\x00\x08\x08", 8) + tail), pickle);
  EXPECT_EQ(ErrorOf("\x80\x02\x8a\x0al\xfc\x9c\x46\xf9" + tail), pickle);
  EXPECT_EQ(ErrorOf("\x80\x04\x95" + tail), pickle);
  EXPECT_EQ(ErrorOf("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n"),
            "is a Git LFS pointer, not the file itself: run git lfs pull");
  EXPECT_EQ(ErrorOf("GGUF" + tail), "is a GGUF file: convert to safetensors");
  EXPECT_EQ(ErrorOf("\x89HDF\r\n\x1a\n" + tail), "is an HDF5 file: convert to safetensors");
  EXPECT_EQ(ErrorOf("<!DOCTYPE html>" + tail),
            "looks like a web page, not like a safetensors file");
  EXPECT_EQ(ErrorOf("{\"_class_name\": \"AutoencoderKLWan\"}"),
            "looks like JSON text, not like a safetensors file");
  EXPECT_EQ(ErrorOf(""), "is empty");
}

}  // namespace
}  // namespace causeway
