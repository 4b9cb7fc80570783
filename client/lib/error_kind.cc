// SPDX-License-Identifier: Apache-2.0
#include "client/lib/error_kind.h"

#include <optional>
#include <span>

namespace causeway::client {
namespace {

struct Row {
  std::string_view name;
  ErrorKind kind;
};

constexpr Row kReasons[] = {
    {"OPEN_EXPECTED", ErrorKind::kSequence},
    {"OPEN_REPEATED", ErrorKind::kSequence},
    {"CHUNK_SEQ_GAP", ErrorKind::kSequence},
    {"CHUNK_AFTER_END", ErrorKind::kSequence},
    {"BAD_RESET", ErrorKind::kSequence},
    {"UNKNOWN_MODEL", ErrorKind::kBadRequest},
    {"BAD_GEOMETRY", ErrorKind::kBadRequest},
    {"BAD_DTYPE", ErrorKind::kBadRequest},
    {"BAD_LAYOUT", ErrorKind::kBadRequest},
    {"BAD_FORMAT", ErrorKind::kBadRequest},
    {"BAD_OPTION", ErrorKind::kBadRequest},
    {"PAYLOAD_SIZE_MISMATCH", ErrorKind::kBadRequest},
    {"CHUNK_TOO_LONG", ErrorKind::kBadRequest},
    {"NON_FINITE_LATENT", ErrorKind::kBadRequest},
    {"BAD_FRAGMENT", ErrorKind::kBadRequest},
    {"CHECKSUM_MISMATCH", ErrorKind::kDataLoss},
    {"NO_CAPACITY_BYTES", ErrorKind::kNoCapacity},
    {"NO_CAPACITY_SESSIONS", ErrorKind::kNoCapacity},
    {"TENANT_QUOTA", ErrorKind::kNoCapacity},
    {"INPUT_OVERRUN", ErrorKind::kOverrun},
    {"RATE_LIMITED", ErrorKind::kOverrun},
    {"SLOW_CONSUMER", ErrorKind::kSessionLost},
    {"IDLE_TIMEOUT", ErrorKind::kSessionLost},
    {"MAX_LIFETIME", ErrorKind::kSessionLost},
    {"SESSION_NOT_FOUND", ErrorKind::kSessionLost},
    {"SESSION_TAKEN_OVER", ErrorKind::kSessionLost},
    {"RESUME_TOKEN_INVALID", ErrorKind::kSessionLost},
    {"RESUME_EXPIRED", ErrorKind::kSessionLost},
    {"DRAINING", ErrorKind::kUnavailable},
    {"NOT_READY", ErrorKind::kUnavailable},
    {"GPU_FAULT", ErrorKind::kUnavailable},
    {"GPU_OOM_UNEXPECTED", ErrorKind::kServerFault},
    {"NUMERIC_FAULT", ErrorKind::kServerFault},
    {"INTERNAL_BUG", ErrorKind::kServerFault},
    {"NOT_IMPLEMENTED", ErrorKind::kNotImplemented},
    {"AUTH_MISSING", ErrorKind::kAccessDenied},
    {"AUTH_DENIED", ErrorKind::kAccessDenied},
};

constexpr Row kCodes[] = {
    {"CANCELLED", ErrorKind::kCancelled},
    {"INVALID_ARGUMENT", ErrorKind::kBadRequest},
    {"NOT_FOUND", ErrorKind::kBadRequest},
    {"FAILED_PRECONDITION", ErrorKind::kSequence},
    {"RESOURCE_EXHAUSTED", ErrorKind::kNoCapacity},
    {"UNAVAILABLE", ErrorKind::kUnavailable},
    {"DEADLINE_EXCEEDED", ErrorKind::kUnavailable},
    {"ABORTED", ErrorKind::kSessionLost},
    {"DATA_LOSS", ErrorKind::kDataLoss},
    {"UNAUTHENTICATED", ErrorKind::kAccessDenied},
    {"PERMISSION_DENIED", ErrorKind::kAccessDenied},
    {"UNIMPLEMENTED", ErrorKind::kNotImplemented},
};

std::optional<ErrorKind> Find(std::span<const Row> rows, std::string_view name) {
  for (const Row& row : rows) {
    if (row.name == name) return row.kind;
  }
  return std::nullopt;
}

}  // namespace

ErrorKind KindOf(std::string_view reason, std::string_view code) {
  if (const auto kind = Find(kReasons, reason)) return *kind;
  return Find(kCodes, code).value_or(ErrorKind::kServerFault);
}

}  // namespace causeway::client
