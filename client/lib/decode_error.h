// SPDX-License-Identifier: Apache-2.0
// Every failure of a decode stream as one exception: what the server refused, what the transport
// reported, and what this library found wrong with the server's answers. A ChunkError is not one of
// them: it leaves the session usable and arrives as an event.
#pragma once

#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>

#include "client/lib/error_kind.h"
#include "server/base/failure.h"

namespace grpc {
class Status;
}

namespace causeway::client {

class DecodeError : public std::runtime_error {
 public:
  struct Detail {
    std::string code;     // the gRPC status code by name, for example "INVALID_ARGUMENT"
    std::string reason;   // a reason of proto/README.md; empty: the transport failed
    std::string field;    // the field at fault; empty: none
    std::string got;      // what it held
    std::string allowed;  // what it may hold
    // After so long the server suggests to try again; nothing: it suggests nothing.
    std::optional<std::chrono::milliseconds> retry_after;
  };

  /// `message`: one line, complete on its own. The kind is that of the reason and the code.
  DecodeError(const std::string& message, Detail detail)
      : std::runtime_error(message),
        detail_(std::move(detail)),
        kind_(KindOf(detail_.reason, detail_.code)) {}
  DecodeError(const std::string& message, Detail detail, ErrorKind kind)
      : std::runtime_error(message), detail_(std::move(detail)), kind_(kind) {}

  ErrorKind kind() const { return kind_; }
  const std::string& code() const { return detail_.code; }
  const std::string& reason() const { return detail_.reason; }
  const std::string& field() const { return detail_.field; }
  const std::string& got() const { return detail_.got; }
  const std::string& allowed() const { return detail_.allowed; }
  std::optional<std::chrono::milliseconds> retry_after() const { return detail_.retry_after; }

 private:
  Detail detail_;
  ErrorKind kind_;
};

/// The error that a status other than OK stands for. Reason, field, got and allowed come from the
/// google.rpc.ErrorInfo in its details, retry_after from the google.rpc.RetryInfo; all stay empty
/// where there is none.
DecodeError ErrorFromStatus(const grpc::Status& status);

/// What this library refuses to send; nothing went over the wire.
DecodeError ErrorBeforeSending(const Failure& failure);

/// An answer that the protocol does not allow.
DecodeError ErrorInAnswer(Reason reason, const std::string& problem);

/// A frame whose payload is not the one that the server sent.
DecodeError ChecksumError(const std::string& problem);

}  // namespace causeway::client
