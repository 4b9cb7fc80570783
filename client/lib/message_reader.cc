// SPDX-License-Identifier: Apache-2.0
#include "client/lib/message_reader.h"

#include <utility>

namespace causeway::client {

MessageReader::MessageReader(Stream& stream) : stream_(stream), thread_([this] { Read(); }) {}

MessageReader::~MessageReader() {
  {
    const std::scoped_lock lock(mutex_);
    is_abandoned_ = true;
  }
  has_changed_.notify_all();
  thread_.join();
}

void MessageReader::Read() {
  Received received;
  while (stream_.Read(&received.message)) {
    received.at = Clock::now();
    std::unique_lock lock(mutex_);
    has_changed_.wait(lock, [this] { return messages_.size() < kMost || is_abandoned_; });
    if (is_abandoned_) continue;
    messages_.push_back(std::move(received));
    lock.unlock();
    has_changed_.notify_all();
    received = {};
  }
  {
    const std::scoped_lock lock(mutex_);
    is_at_end_ = true;
  }
  has_changed_.notify_all();
}

MessageReader::Outcome MessageReader::Next(Clock::time_point deadline, Received& received) {
  std::unique_lock lock(mutex_);
  const auto is_ready = [this] { return !messages_.empty() || is_at_end_; };
  if (deadline == Clock::time_point::max()) {
    has_changed_.wait(lock, is_ready);
  } else if (!has_changed_.wait_until(lock, deadline, is_ready)) {
    return Outcome::kTimeout;
  }
  if (messages_.empty()) return Outcome::kEnd;
  received = std::move(messages_.front());
  messages_.pop_front();
  lock.unlock();
  has_changed_.notify_all();
  return Outcome::kMessage;
}

}  // namespace causeway::client
