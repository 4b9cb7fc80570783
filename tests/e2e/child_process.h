// SPDX-License-Identifier: Apache-2.0
// A program in a process of its own, killed where it outlives this.
#pragma once

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace causeway::testing {

class ChildProcess {
 public:
  /// Standard output and error go to `log_path`. Throws where it cannot be started.
  ChildProcess(std::vector<std::string> command, const std::string& log_path) {
    std::vector<char*> argv;
    for (std::string& word : command) argv.push_back(word.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log_path.c_str(),
                                     O_WRONLY | O_CREAT | O_APPEND, 0600);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    const int error = posix_spawn(&pid_, argv[0], &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) throw std::runtime_error(command[0] + ": cannot be started");
  }
  ChildProcess(ChildProcess&& other) noexcept : pid_(std::exchange(other.pid_, -1)) {}
  ChildProcess& operator=(ChildProcess&&) = delete;
  ~ChildProcess() {
    if (pid_ > 0) Stop(SIGKILL);
  }

  void Signal(int number) { kill(pid_, number); }
  /// Sends the signal and waits for the end. The exit code, or minus the signal that ended it.
  int Stop(int number) {
    Signal(number);
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

  std::size_t OpenFiles() const {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(Proc("fd"))) {
      ++count;
    }
    return count;
  }
  /// Memory in use (resident), in bytes.
  std::int64_t ResidentBytes() const {
    std::int64_t pages = 0;
    std::int64_t resident_pages = 0;
    std::ifstream(Proc("statm")) >> pages >> resident_pages;
    return resident_pages * sysconf(_SC_PAGESIZE);
  }

 private:
  std::string Proc(const char* file) const { return "/proc/" + std::to_string(pid_) + "/" + file; }

  pid_t pid_ = -1;
};

}  // namespace causeway::testing
