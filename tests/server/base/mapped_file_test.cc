// SPDX-License-Identifier: Apache-2.0
#include "server/base/mapped_file.h"

#include <string_view>
#include <utility>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/support/test_folder.h"

namespace causeway {
namespace {

using test::FileErrorOf;
using test::TestFolder;

std::string_view Text(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

TEST(MappedFile, HoldsTheBytesOfTheFile) {
  const TestFolder folder;
  EXPECT_EQ(Text(MappedFile(folder.Write("a", "hello"))), "hello");
}

TEST(MappedFile, KeepsTheAddressWhenMoved) {
  const TestFolder folder;
  MappedFile first(folder.Write("a", "one"));
  const std::byte* address = first.bytes().data();
  MappedFile second(std::move(first));
  EXPECT_EQ(second.bytes().data(), address);
  MappedFile third(folder.Write("b", "two"));
  third = std::move(second);
  EXPECT_EQ(third.bytes().data(), address);
  EXPECT_EQ(Text(third), "one");
}

TEST(MappedFile, OutlivesTheNameOfTheFile) {
  const TestFolder folder;
  const MappedFile file(folder.Write("a", "hello"));
  std::filesystem::remove(folder.Path("a"));
  EXPECT_EQ(Text(file), "hello");
}

TEST(MappedFile, SaysWhyAFileCannotBeMapped) {
  const TestFolder folder;
  const auto error = [](const std::string& path) {
    return FileErrorOf([&] { MappedFile file(path); });
  };
  const std::string missing = folder.Path("missing");
  EXPECT_EQ(error(missing), missing + ": no such file");
  EXPECT_EQ(error(folder.Path("")), folder.Path("") + ": is a folder, a file is needed");
  EXPECT_EQ(error(folder.Write("empty", "")), folder.Path("empty") + ": is empty");
  EXPECT_EQ(error(folder.Write("file", "x") + "/b"),
            folder.Path("file/b") + ": cannot be opened: Not a directory");
  ASSERT_EQ(::mkfifo(folder.Path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(error(folder.Path("pipe")), folder.Path("pipe") + ": is not a regular file");
}

}  // namespace
}  // namespace causeway
