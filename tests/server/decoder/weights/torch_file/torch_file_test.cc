// SPDX-License-Identifier: Apache-2.0
#include "server/decoder/weights/torch_file/torch_file.h"

#include <algorithm>
#include <utility>

#include <gtest/gtest.h>

#include "server/base/safetensors.h"
#include "tests/support/test_folder.h"
#include "tests/support/torch_files.h"

namespace causeway::decoder {
namespace {

using test::FileErrorOf;

constexpr char kFolder[] = CAUSEWAY_SOURCE_DIR "/tests/golden/torch_files/";

/// What is said of one of the files that torch.save wrote, after its path.
std::string GoldenError(const std::string& name) {
  const std::string path = kFolder + name;
  const std::string message = FileErrorOf([&] { TorchFile::Open(path); });
  return message.empty() ? message : message.substr(path.size() + 2);
}

class TorchSaved : public testing::TestWithParam<const char*> {};

TEST_P(TorchSaved, EqualsItsSafetensorsTwin) {
  const TorchFile file = TorchFile::Open(std::string(kFolder) + GetParam() + ".pth");
  const auto twin = SafetensorsFile::Open(std::string(kFolder) + GetParam() + ".safetensors");
  ASSERT_EQ(file.tensors().size(), twin.tensors().size());
  for (const auto& [name, view] : twin.tensors()) {
    ASSERT_TRUE(file.tensors().contains(name)) << name;
    const TensorView& read = file.tensors().find(name)->second;
    EXPECT_EQ(read.dtype, view.dtype) << name;
    EXPECT_EQ(read.shape, view.shape) << name;
    EXPECT_TRUE(std::ranges::equal(read.bytes, view.bytes)) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Files, TorchSaved,
                         testing::Values("dtypes", "edges", "module", "nested", "nested_model",
                                         "shared", "many"),
                         [](const auto& file) { return std::string(file.param); });

TEST(TorchFile, RefusesWhatTorchSavesBesidesPlainTensors) {
  EXPECT_EQ(GoldenError("old_format.pth"),
            "is a PyTorch checkpoint of the format before PyTorch 1.6, which is not supported: "
            "load it and save it again with torch.save, or convert to safetensors");
  EXPECT_EQ(GoldenError("transposed.pth"),
            "tensor 'turned': got strides [1, 3] for shape [3, 2], allowed: a contiguous tensor; "
            "save it after .contiguous()");
  EXPECT_EQ(GoldenError("float8.pth"),
            "pickle 'float8/data.pkl', byte 13: is a pickle that would run code: it names "
            "'torch._utils._rebuild_tensor_v3', which plain tensors do not need");
  EXPECT_EQ(GoldenError("two_nested.pth"),
            "holds two dicts of tensors, one of them 'state_dict'; allowed: one, under state_dict "
            "or model");
  EXPECT_EQ(GoldenError("no_tensor.pth"),
            "tensor 'epoch': got an integer, allowed: a plain tensor");
  EXPECT_EQ(GoldenError("tensor.pth"), "holds an object, allowed: a dict of tensors");
}

TEST(TorchFile, KeepsItsViewsWhenMoved) {
  const test::TestFolder folder;
  TorchFile file = TorchFile::Open(folder.Write("x.pth", test::Checkpoint(test::TensorPickle())));
  EXPECT_EQ(file.path(), folder.Path("x.pth"));
  const std::byte* bytes = file.tensors().find("x")->second.bytes.data();
  const TorchFile moved = std::move(file);
  const TensorView& view = moved.tensors().find("x")->second;
  EXPECT_EQ(view.bytes.data(), bytes);
  EXPECT_EQ(view.bytes[23], std::byte{0x3C});
  EXPECT_EQ(view.shape, (std::vector<std::int64_t>{2, 3}));
}

TEST(TorchFile, RefusesWhatIsNoZipFile) {
  const test::TestFolder folder;
  const std::string path = folder.Write("x.pth", "PK\x03\x05");
  EXPECT_EQ(FileErrorOf([&] { TorchFile::Open(path); }),
            path + ": is not a PyTorch checkpoint: it does not start as a zip file");
}

TEST(TorchFile, TellsItsFormatsByTheFirstBytes) {
  const auto looks_like = [](const std::string& bytes) {
    return TorchFile::LooksLike(std::as_bytes(std::span(bytes)));
  };
  EXPECT_TRUE(looks_like("PK\x03\x04"));
  EXPECT_TRUE(looks_like("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19."));
  EXPECT_FALSE(looks_like("PK\x03"));
  // A safetensors file with a header of 640 bytes.
  EXPECT_FALSE(looks_like(std::string("\x80\x02\0\0\0\0\0\0{", 9)));
}

}  // namespace
}  // namespace causeway::decoder
