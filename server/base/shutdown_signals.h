// SPDX-License-Identifier: Apache-2.0
// SIGTERM and SIGINT as calls on a thread of their own, where everything may be done.
#pragma once

#include <atomic>
#include <functional>
#include <thread>

#include <signal.h>

namespace causeway {

/// Construct in `main` before any other thread starts: the signals are blocked in this thread and
/// in all that it starts later, until this is destroyed.
class ShutdownSignals {
 public:
  ShutdownSignals();
  ~ShutdownSignals();
  ShutdownSignals(const ShutdownSignals&) = delete;
  ShutdownSignals& operator=(const ShutdownSignals&) = delete;

  /// From now on calls `on_signal` for each signal with its place in the order of arrival, from 1.
  /// Once.
  void Watch(std::function<void(int)> on_signal);

  /// Ends the watch: after it nothing is called. Signals stay blocked.
  void Stop();

 private:
  void Run(const std::function<void(int)>& on_signal);

  sigset_t signals_;
  sigset_t mask_before_;
  std::atomic<bool> is_stopping_{false};
  std::thread thread_;
};

}  // namespace causeway
