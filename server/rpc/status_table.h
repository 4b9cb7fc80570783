// SPDX-License-Identifier: Apache-2.0
// The one table from a Reason to a gRPC status code, and the status that carries a Failure.
#pragma once

#include <chrono>

#include <grpcpp/support/status.h>

#include "server/base/failure.h"

namespace causeway::rpc {

/// The code of proto/README.md for that reason.
grpc::StatusCode CodeOf(Reason reason);

/// Whether the same Open may succeed a little later.
bool IsWorthRetrying(Reason reason);

/// The failure as a status: its code, its message, and as details a google.rpc.Status with one
/// ErrorInfo (domain "causeway", the reason's name, metadata field, got and allowed where they are
/// set) and, where IsWorthRetrying, a RetryInfo of `retry_delay`. Long texts are cut, so that the
/// status fits into response headers of 8 KiB.
grpc::Status ToStatus(const Failure& failure, std::chrono::milliseconds retry_delay);

}  // namespace causeway::rpc
