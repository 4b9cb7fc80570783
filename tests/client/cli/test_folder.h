// SPDX-License-Identifier: Apache-2.0
// A folder of its own for each test, whose name has a blank in it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "server/base/safetensors_writer.h"

namespace causeway::cli {

class TestFolder {
 public:
  TestFolder() {
    const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
    path_ = std::filesystem::path(testing::TempDir()) /
            (std::string("causeway ") + test.test_suite_name() + "." + test.name());
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~TestFolder() { std::filesystem::remove_all(path_); }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  std::string operator/(const std::string& name) const { return path_ / name; }

  int FileCount() const {
    return static_cast<int>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }

 private:
  std::filesystem::path path_;
};

/// Writes latents of that shape and type whose elements are zero.
inline void WriteZeroLatents(const std::string& path, TensorDtype dtype,
                             std::vector<std::int64_t> shape, const std::string& key = "latents") {
  const std::vector<std::byte> zeros(
      static_cast<std::size_t>(ElementCount(shape).value() * TensorDtypeBytes(dtype)));
  WriteSafetensors(path, {{key, {dtype, std::move(shape), zeros}}});
}

}  // namespace causeway::cli
