// SPDX-License-Identifier: Apache-2.0
// Ctrl-C and SIGTERM as a call on an ordinary thread.
#pragma once

#include <csignal>
#include <functional>
#include <mutex>
#include <thread>

namespace causeway::cli {

/// Made first thing in main, before any other thread: the signals are blocked in every thread that
/// starts later, and one thread waits for them.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  /// Calls `action` at the first signal, on another thread, or at once where it already came.
  /// An empty action takes the last one away; once that returned it is not running any more.
  void SetAction(std::function<void()> action);

  bool has_come() const;

 private:
  sigset_t signals_;
  mutable std::mutex mutex_;
  std::function<void()> action_;
  bool has_come_ = false;
  std::thread thread_;
};

}  // namespace causeway::cli
