// SPDX-License-Identifier: Apache-2.0
// Calls a function every now and then, on a thread of its own: the one timer of all streams.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace causeway::rpc {

/// Ticks from construction to destruction, which waits for a running call. `tick` does not throw.
class Ticker {
 public:
  Ticker(std::chrono::milliseconds period, std::function<void()> tick)
      : period_(period), tick_(std::move(tick)), thread_([this] { Run(); }) {}
  ~Ticker() {
    {
      const std::lock_guard lock(mutex_);
      is_stopped_ = true;
    }
    stopped_.notify_all();
    thread_.join();
  }
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;

 private:
  void Run() {
    std::unique_lock lock(mutex_);
    while (!stopped_.wait_for(lock, period_, [this] { return is_stopped_; })) {
      lock.unlock();
      tick_();
      lock.lock();
    }
  }

  const std::chrono::milliseconds period_;
  const std::function<void()> tick_;
  std::mutex mutex_;
  std::condition_variable stopped_;
  bool is_stopped_ = false;
  std::thread thread_;  // last: starts when the rest is there
};

}  // namespace causeway::rpc
