// SPDX-License-Identifier: Apache-2.0
#include "server/decoder/weights/tensor_file.h"

#include <filesystem>
#include <utility>

#include <gtest/gtest.h>

#include "tests/support/test_folder.h"

namespace causeway::decoder {
namespace {

constexpr char kFolder[] = CAUSEWAY_SOURCE_DIR "/tests/golden/torch_files/";
using test::FileErrorOf;
using test::TestFolder;

TEST(TensorFile, OpensEitherFormatByItsContent) {
  const TestFolder folder;
  std::filesystem::copy(kFolder + std::string("module.pth"), folder.Path("a.safetensors"));
  std::filesystem::copy(kFolder + std::string("module.safetensors"), folder.Path("b.pth"));
  for (const char* name : {"a.safetensors", "b.pth"}) {
    TensorFile file = TensorFile::Open(folder.Path(name));
    const TensorFile moved = std::move(file);
    EXPECT_EQ(moved.path(), folder.Path(name));
    ASSERT_NE(moved.Find("0.weight"), nullptr);
    EXPECT_EQ(moved.Find("0.weight")->shape, (std::vector<std::int64_t>{3, 2, 1, 1}));
    EXPECT_EQ(moved.Find("0.weigh"), nullptr);
    EXPECT_EQ(moved.tensors().size(), 7u);
  }
}

TEST(TensorFile, SaysWhatAFileOfNeitherFormatIs) {
  const TestFolder folder;
  const auto error = [&](const std::string& content) {
    const std::string path = folder.Write("x.pth", content);
    return FileErrorOf([&] { TensorFile::Open(path); }).substr(path.size());
  };
  EXPECT_EQ(error("version https://git-lfs.github.com/spec/v1\n"),
            ": is a Git LFS pointer, not the file itself: run git lfs pull");
  EXPECT_EQ(error("\x80\x04\x95" + std::string(30, '\0')),
            ": is a PyTorch checkpoint (pickle), which is not readable here: convert to "
            "safetensors");
  EXPECT_EQ(error(std::string("PK\x03\x04")),
            ": has no zip directory at its end (is it truncated?)");
  EXPECT_EQ(FileErrorOf([&] { TensorFile::Open(folder.Path("no")); }),
            folder.Path("no") + ": no such file");
  EXPECT_TRUE(FileErrorOf([&] { TensorFile::Open(kFolder + std::string("old_format.pth")); })
                  .ends_with("load it and save it again with torch.save, or convert to "
                             "safetensors"));
}

}  // namespace
}  // namespace causeway::decoder
