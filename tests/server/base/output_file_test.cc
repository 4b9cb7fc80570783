// SPDX-License-Identifier: Apache-2.0
#include "server/base/output_file.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "server/base/failure.h"

namespace causeway {
namespace {

namespace fs = std::filesystem;

class OutputFileTest : public testing::Test {
 protected:
  OutputFileTest()
      : folder_(fs::path(testing::TempDir()) /
                testing::UnitTest::GetInstance()->current_test_info()->name()) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~OutputFileTest() override { fs::remove_all(folder_); }

  std::string Path(const std::string& name) const { return folder_ / name; }

  std::string Content(const std::string& name) const {
    std::ifstream file(Path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  int FilesInFolder() const {
    return static_cast<int>(std::distance(fs::directory_iterator(folder_), {}));
  }

  static void Write(OutputFile& file, const std::string& text) {
    file.Write(std::as_bytes(std::span(text)));
  }

 private:
  fs::path folder_;
};

TEST_F(OutputFileTest, AppearsWholeWithCommit) {
  OutputFile file(Path("a file.bin"));
  Write(file, "hello, ");
  Write(file, "world");
  EXPECT_FALSE(fs::exists(Path("a file.bin")));
  file.Commit();
  EXPECT_EQ(Content("a file.bin"), "hello, world");
  EXPECT_EQ(FilesInFolder(), 1);
}

TEST_F(OutputFileTest, LeavesNothingWithoutCommit) {
  {
    OutputFile file(Path("x"));
    Write(file, "half");
    EXPECT_TRUE(fs::exists(file.temporary_path()));
  }
  EXPECT_EQ(FilesInFolder(), 0);
}

TEST_F(OutputFileTest, LeavesAnOlderFileAloneUntilCommit) {
  std::ofstream(Path("x")) << "old";
  {
    OutputFile file(Path("x"));
    Write(file, "new");
  }
  EXPECT_EQ(Content("x"), "old");
  OutputFile file(Path("x"));
  Write(file, "new");
  file.Commit();
  EXPECT_EQ(Content("x"), "new");
}

TEST_F(OutputFileTest, TwoWritersOfOneNameDoNotMix) {
  OutputFile first(Path("x"));
  OutputFile second(Path("x"));
  Write(first, "1");
  Write(second, "2");
  first.Commit();
  EXPECT_EQ(Content("x"), "1");
  second.Commit();
  EXPECT_EQ(Content("x"), "2");
}

TEST_F(OutputFileTest, RefusesAFolderASpecialFileAndAMissingFolder) {
  EXPECT_THROW(OutputFile{Path("")}, FileError);
  EXPECT_THROW(OutputFile{"/dev/null"}, FileError);
  EXPECT_THROW(OutputFile{Path("missing/x")}, FileError);
  EXPECT_EQ(FilesInFolder(), 0);
}

// A limit on the size of files stands for the full disk: write fails in the same way.
TEST_F(OutputFileTest, ReportsAWriteThatFailsAndLeavesNothing) {
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{4096, before.rlim_max};
  {
    OutputFile file(Path("x"));
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
    EXPECT_THROW(Write(file, std::string(10000, 'x')), FileError);
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  }
  EXPECT_EQ(FilesInFolder(), 0);
}

}  // namespace
}  // namespace causeway
