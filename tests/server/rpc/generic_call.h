// SPDX-License-Identifier: Apache-2.0
// Calls by method name and bytes, for services whose generated code is not at hand.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include "tests/support/stream_data.h"

namespace causeway::rpc {

/// A stream of any kind: Send, Read and Finish wait for at most the deadline of tests.
class GenericCall : public grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  GenericCall(const std::shared_ptr<grpc::Channel>& channel, const std::string& method)
      : stub_(channel) {
    context_.set_deadline(std::chrono::system_clock::now() + testing::kDeadline);
    stub_.PrepareBidiStreamingCall(&context_, method, grpc::StubOptions(), this);
    AddHold();
    StartRead(&response_);
    StartCall();
  }
  ~GenericCall() override {
    context_.TryCancel();
    Finish();
  }

  void Send(const std::string& message, bool is_last = false) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !is_writing_; });
    if (is_done_) return;
    is_writing_ = true;
    const grpc::Slice slice(message);
    request_ = grpc::ByteBuffer(&slice, 1);
    lock.unlock();
    StartWrite(&request_, is_last ? grpc::WriteOptions().set_last_message() : grpc::WriteOptions());
  }
  /// The next message; nothing where the stream is over.
  std::optional<std::string> Read() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !messages_.empty() || has_read_all_; });
    if (messages_.empty()) return std::nullopt;
    std::string message = std::move(messages_.front());
    messages_.pop_front();
    return message;
  }
  grpc::Status Finish() {
    std::unique_lock lock(mutex_);
    if (!has_released_) {
      has_released_ = true;
      lock.unlock();
      RemoveHold();
      lock.lock();
    }
    changed_.wait(lock, [this] { return is_done_; });
    return status_;
  }

  void OnReadDone(bool ok) override {
    {
      const std::lock_guard lock(mutex_);
      if (ok) {
        grpc::Slice slice;
        has_read_all_ = !response_.DumpToSingleSlice(&slice).ok();
        messages_.emplace_back(reinterpret_cast<const char*>(slice.begin()), slice.size());
      } else {
        has_read_all_ = true;
      }
      changed_.notify_all();
    }
    if (ok) StartRead(&response_);
  }
  void OnWriteDone(bool) override {
    const std::lock_guard lock(mutex_);
    is_writing_ = false;
    changed_.notify_all();
  }
  void OnDone(const grpc::Status& status) override {
    const std::lock_guard lock(mutex_);
    status_ = status;
    is_done_ = true;
    changed_.notify_all();
  }

 private:
  grpc::ClientContext context_;
  grpc::GenericStub stub_;
  grpc::ByteBuffer request_;   // of the outstanding write
  grpc::ByteBuffer response_;  // of the outstanding read
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> messages_;
  grpc::Status status_;
  bool is_writing_ = false;
  bool has_read_all_ = false;
  bool has_released_ = false;
  bool is_done_ = false;
};

}  // namespace causeway::rpc
