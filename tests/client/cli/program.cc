// SPDX-License-Identifier: Apache-2.0
#include "tests/client/cli/program.h"

#include <fstream>
#include <iterator>
#include <stdexcept>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace causeway::cli {
namespace {

std::string Content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

Program::Program(const test::TestFolder& folder, const std::vector<std::string>& arguments,
                 const std::string& out_path)
    : out_path_(out_path.empty() ? folder.Path(".stdout") : out_path),
      err_path_(folder.Path(".stderr")) {
  std::vector<std::string> words{CAUSEWAY_PROGRAM};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  constexpr int kFlags = O_WRONLY | O_CREAT | O_TRUNC;
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out_path_.c_str(), kFlags, 0600);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err_path_.c_str(), kFlags, 0600);
  const int error = posix_spawn(&pid_, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::runtime_error("cannot start the program");
}

ProgramResult Program::Wait() {
  int status = 0;
  waitpid(pid_, &status, 0);
  ProgramResult result;
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  if (!out_path_.starts_with("/dev/")) result.out = Content(out_path_);
  result.err = Content(err_path_);
  // What is left in the folder are the files that the program wrote.
  if (!out_path_.starts_with("/dev/")) unlink(out_path_.c_str());
  unlink(err_path_.c_str());
  return result;
}

}  // namespace causeway::cli
