// SPDX-License-Identifier: Apache-2.0
// The sessions of a server as its operator sees them.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <grpcpp/grpcpp.h>

#include "server/session/session.h"

namespace causeway::rpc {

struct LiveSession {
  std::string id;
  std::string peer;
  SessionReport report;  // with its request
  Clock::duration age;   // since the stream began
  Clock::duration idle;  // since the client's newest message
};

/// Thread-safe. Streams that are not admitted yet are no sessions.
class LiveSessions {
 public:
  virtual ~LiveSessions() = default;

  virtual std::vector<LiveSession> ListSessions() const = 0;
  virtual std::optional<LiveSession> FindSession(const std::string& id) const = 0;

  /// Ends its stream with CANCELLED, whatever the client does. Returns whether there is one.
  virtual bool CloseSession(const std::string& id) = 0;
};

/// Cancels a call for as long as it is there. Thread-safe.
class CallHandle {
 public:
  explicit CallHandle(grpc::CallbackServerContext& context) : context_(&context) {}

  /// Returns whether the call was there.
  bool Cancel() {
    const std::lock_guard lock(mutex_);
    if (context_ != nullptr) context_->TryCancel();
    return context_ != nullptr;
  }

  /// Before the call's context goes.
  void Forget() {
    const std::lock_guard lock(mutex_);
    context_ = nullptr;
  }

 private:
  // Recursive: where gRPC ends the call inside TryCancel, Forget comes from there.
  std::recursive_mutex mutex_;
  grpc::CallbackServerContext* context_;
};

}  // namespace causeway::rpc
