// SPDX-License-Identifier: Apache-2.0
// Runs the built `causeway` program in a process of its own.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

#include "tests/client/cli/test_files.h"

namespace causeway::cli {

struct ProgramResult {
  int exit_code = -1;  // -1: ended by a signal
  std::string out;
  std::string err;
};

/// One run. Its standard output and error go to files in `folder`.
class Program {
 public:
  /// Starts `causeway` with these arguments. `out_path`: for standard output instead of a file in
  /// the folder; empty: there.
  Program(const test::TestFolder& folder, const std::vector<std::string>& arguments,
          const std::string& out_path = "");

  pid_t pid() const { return pid_; }

  /// Waits for its end.
  ProgramResult Wait();

 private:
  std::string out_path_;
  std::string err_path_;
  pid_t pid_ = -1;
};

}  // namespace causeway::cli
