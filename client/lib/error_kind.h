// SPDX-License-Identifier: Apache-2.0
// What the reasons of proto/README.md ask of a caller: one kind for each way to react.
#pragma once

#include <string_view>

namespace causeway::client {

enum class ErrorKind {
  kBadRequest,      // the server does not take what was asked for: correct it
  kSequence,        // messages in an order that the protocol does not have
  kNoCapacity,      // the server is full: later, or another server
  kOverrun,         // more was sent than credits or rates allow
  kUnavailable,     // not reached, starting, stopping or broken: another server may work
  kSessionLost,     // the server has given the session up: open a new one
  kDataLoss,        // a payload does not have its checksum
  kAccessDenied,    // the server does not know the caller, or does not let it
  kNotImplemented,  // the server does not have this part of the protocol
  kCancelled,       // by this side
  kServerFault,     // the server's log has more
  kProtocol,        // an answer that the protocol does not allow
};

/// The kind of a reason; where it is empty or not known, that of the gRPC status code `code` (by
/// name, for example "UNAVAILABLE").
ErrorKind KindOf(std::string_view reason, std::string_view code);

}  // namespace causeway::client
