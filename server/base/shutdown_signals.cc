// SPDX-License-Identifier: Apache-2.0
#include "server/base/shutdown_signals.h"

#include <utility>

namespace causeway {

ShutdownSignals::ShutdownSignals() {
  sigemptyset(&signals_);
  sigaddset(&signals_, SIGTERM);
  sigaddset(&signals_, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals_, &mask_before_);
}

ShutdownSignals::~ShutdownSignals() {
  Stop();
  pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
}

void ShutdownSignals::Watch(std::function<void(int)> on_signal) {
  thread_ = std::thread([this, call = std::move(on_signal)] { Run(call); });
}

void ShutdownSignals::Stop() {
  if (!thread_.joinable()) return;
  is_stopping_ = true;
  pthread_kill(thread_.native_handle(), SIGINT);  // blocked there: ends its sigwait
  thread_.join();
}

void ShutdownSignals::Run(const std::function<void(int)>& on_signal) {
  for (int count = 1;; ++count) {
    int signal = 0;
    sigwait(&signals_, &signal);
    if (is_stopping_) return;
    on_signal(count);
  }
}

}  // namespace causeway
