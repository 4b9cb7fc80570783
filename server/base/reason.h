// SPDX-License-Identifier: Apache-2.0
// The closed list of reasons for which Causeway refuses or ends something. The same names stand in
// gRPC error details, logs, metrics and proto/README.md. A reason is never renamed or reused.
#pragma once

#include <string_view>

namespace causeway {

enum class Reason {
  // The order of messages on a stream.
  kOpenExpected,
  kOpenRepeated,
  kChunkSeqGap,
  kChunkAfterEnd,
  kBadReset,
  // What an Open asks for.
  kUnknownModel,
  kBadGeometry,
  kBadDtype,
  kBadLayout,
  kBadFormat,
  kBadOption,
  // What a chunk carries.
  kPayloadSizeMismatch,
  kChunkTooLong,
  kNonFiniteLatent,
  kBadFragment,
  kChecksumMismatch,
  // Capacity.
  kNoCapacityBytes,
  kNoCapacitySessions,
  kInputOverrun,
  // The life of a session and of the server.
  kIdleTimeout,
  kSlowConsumer,
  kDraining,
  kNotReady,
  kSessionNotFound,
  // Faults of the server.
  kNumericFault,
  kInternalBug,
  kNotImplemented,
};
inline constexpr Reason kLastReason = Reason::kNotImplemented;

/// The name on the wire, for example "BAD_GEOMETRY".
std::string_view ReasonName(Reason reason);

}  // namespace causeway
