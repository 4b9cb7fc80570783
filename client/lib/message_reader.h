// SPDX-License-Identifier: Apache-2.0
// Reads a stream on a thread of its own, so that who waits for a message can wait with a deadline.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "causeway/v1/decode.grpc.pb.h"

namespace causeway::client {

class MessageReader {
 public:
  using Clock = std::chrono::steady_clock;
  using Stream = grpc::ClientReaderWriter<v1::DecodeRequest, v1::DecodeResponse>;

  struct Received {
    v1::DecodeResponse message;
    Clock::time_point at;  // when it was read
  };
  enum class Outcome { kMessage, kTimeout, kEnd };

  /// Starts to read `stream`, which must outlive this. Nobody else may read it. At most kMost
  /// messages wait here: a consumer that is slower holds the server back.
  explicit MessageReader(Stream& stream);

  /// Waits for the stream to end: cancel it first.
  ~MessageReader();
  MessageReader(const MessageReader&) = delete;
  MessageReader& operator=(const MessageReader&) = delete;

  /// The next message into `received`; kTimeout where none came until `deadline`; kEnd where none
  /// will come any more. time_point::max(): no deadline.
  Outcome Next(Clock::time_point deadline, Received& received);

 private:
  static constexpr std::size_t kMost = 32;
  void Read();

  Stream& stream_;
  std::mutex mutex_;
  std::condition_variable has_changed_;
  std::deque<Received> messages_;
  bool is_at_end_ = false;
  bool is_abandoned_ = false;  // what still comes is read and thrown away
  std::thread thread_;
};

}  // namespace causeway::client
