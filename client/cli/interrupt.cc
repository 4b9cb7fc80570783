// SPDX-License-Identifier: Apache-2.0
#include "client/cli/interrupt.h"

#include <utility>

#include <pthread.h>

namespace causeway::cli {
namespace {

constexpr int kStop = SIGUSR1;  // from the destructor to the waiting thread

}  // namespace

Interrupt::Interrupt() {
  sigemptyset(&signals_);
  for (const int signal : {SIGINT, SIGTERM, kStop}) sigaddset(&signals_, signal);
  pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  thread_ = std::thread([this] {
    for (;;) {
      int signal = 0;
      sigwait(&signals_, &signal);
      if (signal == kStop) return;
      const std::scoped_lock lock(mutex_);
      if (!std::exchange(has_come_, true) && action_) action_();
    }
  });
}

Interrupt::~Interrupt() {
  pthread_kill(thread_.native_handle(), kStop);
  thread_.join();
}

void Interrupt::SetAction(std::function<void()> action) {
  const std::scoped_lock lock(mutex_);
  action_ = std::move(action);
  if (has_come_ && action_) action_();
}

bool Interrupt::has_come() const {
  const std::scoped_lock lock(mutex_);
  return has_come_;
}

}  // namespace causeway::cli
