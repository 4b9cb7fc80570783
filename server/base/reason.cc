// SPDX-License-Identifier: Apache-2.0
#include "server/base/reason.h"

namespace causeway {

std::string_view ReasonName(Reason reason) {
  switch (reason) {
    case Reason::kOpenExpected:
      return "OPEN_EXPECTED";
    case Reason::kOpenRepeated:
      return "OPEN_REPEATED";
    case Reason::kChunkSeqGap:
      return "CHUNK_SEQ_GAP";
    case Reason::kChunkAfterEnd:
      return "CHUNK_AFTER_END";
    case Reason::kBadReset:
      return "BAD_RESET";
    case Reason::kUnknownModel:
      return "UNKNOWN_MODEL";
    case Reason::kBadGeometry:
      return "BAD_GEOMETRY";
    case Reason::kBadDtype:
      return "BAD_DTYPE";
    case Reason::kBadLayout:
      return "BAD_LAYOUT";
    case Reason::kBadFormat:
      return "BAD_FORMAT";
    case Reason::kBadOption:
      return "BAD_OPTION";
    case Reason::kPayloadSizeMismatch:
      return "PAYLOAD_SIZE_MISMATCH";
    case Reason::kChunkTooLong:
      return "CHUNK_TOO_LONG";
    case Reason::kNonFiniteLatent:
      return "NON_FINITE_LATENT";
    case Reason::kBadFragment:
      return "BAD_FRAGMENT";
    case Reason::kChecksumMismatch:
      return "CHECKSUM_MISMATCH";
    case Reason::kNoCapacityBytes:
      return "NO_CAPACITY_BYTES";
    case Reason::kNoCapacitySessions:
      return "NO_CAPACITY_SESSIONS";
    case Reason::kInputOverrun:
      return "INPUT_OVERRUN";
    case Reason::kIdleTimeout:
      return "IDLE_TIMEOUT";
    case Reason::kSlowConsumer:
      return "SLOW_CONSUMER";
    case Reason::kDraining:
      return "DRAINING";
    case Reason::kNotReady:
      return "NOT_READY";
    case Reason::kSessionNotFound:
      return "SESSION_NOT_FOUND";
    case Reason::kNumericFault:
      return "NUMERIC_FAULT";
    case Reason::kInternalBug:
      return "INTERNAL_BUG";
    case Reason::kNotImplemented:
      return "NOT_IMPLEMENTED";
  }
  return "INTERNAL_BUG";
}

}  // namespace causeway
