// SPDX-License-Identifier: Apache-2.0
// A folder of its own for one test.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <unistd.h>

#include "server/base/failure.h"

namespace causeway::test {

/// Made when constructed, removed with all it holds when destroyed.
class TestFolder {
 public:
  TestFolder() {
    const testing::TestInfo* test = testing::UnitTest::GetInstance()->current_test_info();
    path_ = std::filesystem::path(testing::TempDir()) /
            (std::string(test->test_suite_name()) + "." + test->name() + "." +
             std::to_string(::getpid()));
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~TestFolder() { std::filesystem::remove_all(path_); }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::string Path(const std::string& name) const { return (path_ / name).string(); }

  /// Writes the file and returns its path.
  std::string Write(const std::string& name, std::string_view content) const {
    std::ofstream(Path(name), std::ios::binary) << content;
    return Path(name);
  }

 private:
  std::filesystem::path path_;
};

/// The message of the FileError that `call` throws; empty where it throws none. A message with
/// more than one line fails the test.
template <typename Call>
std::string FileErrorOf(Call&& call) {
  try {
    call();
  } catch (const FileError& error) {
    const std::string message = error.what();
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    return message;
  }
  return {};
}

}  // namespace causeway::test
