// SPDX-License-Identifier: Apache-2.0
// How a refusal travels. Below the decode worker it is thrown as a FailureError; the worker's one
// catch turns it back into a Failure value; server/rpc maps that to a gRPC status by one table.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "server/base/reason.h"

namespace causeway {

/// Why something was refused, in words that its sender can act on.
struct Failure {
  Reason reason = Reason::kInternalBug;
  std::string message;  // one line, complete on its own
  std::string field;    // the field at fault, as the caller knows it; empty: none
  std::string got;      // what it held
  std::string allowed;  // what it may hold
};

/// A Failure whose message is "<field>: got <got>, allowed: <allowed>".
inline Failure BadField(Reason reason, std::string field, std::string got, std::string allowed) {
  std::string message = field + ": got " + got + ", allowed: " + allowed;
  return {reason, std::move(message), std::move(field), std::move(got), std::move(allowed)};
}

/// A Failure as an exception.
class FailureError : public std::runtime_error {
 public:
  explicit FailureError(Failure failure)
      : std::runtime_error(failure.message), failure_(std::move(failure)) {}

  const Failure& failure() const { return failure_; }

 private:
  Failure failure_;
};

/// A file (weights, latents, configuration) that cannot be used. what() is one line that starts
/// with the file's path.
class FileError : public std::runtime_error {
 public:
  FileError(const std::string& path, const std::string& problem)
      : std::runtime_error(path + ": " + problem) {}
};

}  // namespace causeway
