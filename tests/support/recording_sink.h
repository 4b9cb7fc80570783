// SPDX-License-Identifier: Apache-2.0
// A transport that records: takes a session's output as a fast reader does, or, held, none of it.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <variant>
#include <vector>

#include "server/session/session.h"
#include "tests/support/fake_decode_worker.h"

namespace causeway::testing {

class RecordingSink : public SessionSink {
 public:
  void Attach(std::shared_ptr<Session> session) { session_ = std::move(session); }

  void OnOutputReady() override {
    const std::lock_guard lock(mutex_);
    ++notifications_;
    if (!is_held_) TakeAll();
    changed_.notify_all();
  }

  void Hold() {
    const std::lock_guard lock(mutex_);
    is_held_ = true;
  }
  void LetGo() {
    const std::lock_guard lock(mutex_);
    is_held_ = false;
    TakeAll();
    changed_.notify_all();
  }
  /// Takes one output as a slow reader does; false: there was none.
  bool TakeOne() {
    const std::lock_guard lock(mutex_);
    std::optional<Output> output = session_->NextOutput();
    if (!output) return false;
    outputs_.push_back(std::move(*output));
    changed_.notify_all();
    return true;
  }

  /// Whether `count` outputs of that type were taken, within the deadline.
  template <typename Type>
  bool WaitFor(std::size_t count = 1) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kDeadline, [&] { return Collect<Type>().size() >= count; });
  }

  template <typename Type>
  std::vector<Type> All() {
    const std::lock_guard lock(mutex_);
    return Collect<Type>();
  }

  /// The whole frames, put together from their fragments, in order of arrival.
  std::vector<std::vector<std::byte>> Frames() {
    std::vector<std::vector<std::byte>> frames;
    for (const FragmentOutput& fragment : All<FragmentOutput>()) {
      if (fragment.index == 0) frames.emplace_back();
      frames.back().insert(frames.back().end(), fragment.payload.begin(), fragment.payload.end());
    }
    return frames;
  }

  std::vector<Output> outputs() {
    const std::lock_guard lock(mutex_);
    return outputs_;
  }

 private:
  void TakeAll() {
    while (std::optional<Output> output = session_->NextOutput()) {
      outputs_.push_back(std::move(*output));
    }
  }
  template <typename Type>
  std::vector<Type> Collect() const {
    std::vector<Type> found;
    for (const Output& output : outputs_) {
      if (const Type* match = std::get_if<Type>(&output)) found.push_back(*match);
    }
    return found;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::shared_ptr<Session> session_;
  std::vector<Output> outputs_;
  int notifications_ = 0;
  bool is_held_ = false;
};

}  // namespace causeway::testing
