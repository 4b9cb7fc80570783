// SPDX-License-Identifier: Apache-2.0
#include "server/rpc/status_table.h"

#include <cstddef>
#include <string>

#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "server/base/utf8.h"

namespace causeway::rpc {
namespace {

constexpr std::size_t kLongestText = 512;

/// The text as UTF-8 of at most kLongestText bytes and a few: protobuf strings take nothing else.
std::string Shorten(const std::string& text) {
  std::string shortened;
  for (std::size_t at = 0; at < text.size() && shortened.size() < kLongestText;) {
    const std::size_t length = Utf8SequenceLength(text, at);
    shortened += length == 0 ? "?" : text.substr(at, length);
    at += length == 0 ? 1 : length;
  }
  return shortened;
}

void SetMetadata(google::rpc::ErrorInfo& info, const char* key, const std::string& value) {
  if (!value.empty()) (*info.mutable_metadata())[key] = Shorten(value);
}

}  // namespace

grpc::StatusCode CodeOf(Reason reason) {
  switch (reason) {
    case Reason::kOpenExpected:
    case Reason::kOpenRepeated:
    case Reason::kChunkSeqGap:
    case Reason::kChunkAfterEnd:
    case Reason::kBadReset:
      return grpc::StatusCode::FAILED_PRECONDITION;
    case Reason::kUnknownModel:
    case Reason::kSessionNotFound:
      return grpc::StatusCode::NOT_FOUND;
    case Reason::kBadGeometry:
    case Reason::kBadDtype:
    case Reason::kBadLayout:
    case Reason::kBadFormat:
    case Reason::kBadOption:
    case Reason::kPayloadSizeMismatch:
    case Reason::kChunkTooLong:
    case Reason::kNonFiniteLatent:
    case Reason::kBadFragment:
      return grpc::StatusCode::INVALID_ARGUMENT;
    case Reason::kNoCapacityBytes:
    case Reason::kNoCapacitySessions:
    case Reason::kInputOverrun:
      return grpc::StatusCode::RESOURCE_EXHAUSTED;
    case Reason::kIdleTimeout:
      return grpc::StatusCode::DEADLINE_EXCEEDED;
    case Reason::kSlowConsumer:
      return grpc::StatusCode::ABORTED;
    case Reason::kChecksumMismatch:
      return grpc::StatusCode::DATA_LOSS;
    case Reason::kDraining:
    case Reason::kNotReady:
      return grpc::StatusCode::UNAVAILABLE;
    case Reason::kNumericFault:
    case Reason::kInternalBug:
      return grpc::StatusCode::INTERNAL;
    case Reason::kNotImplemented:
      return grpc::StatusCode::UNIMPLEMENTED;
  }
  return grpc::StatusCode::INTERNAL;
}

bool IsWorthRetrying(Reason reason) {
  return reason == Reason::kNoCapacityBytes || reason == Reason::kNoCapacitySessions;
}

grpc::Status ToStatus(const Failure& failure, std::chrono::milliseconds retry_delay) {
  google::rpc::ErrorInfo info;
  info.set_domain("causeway");
  info.set_reason(std::string(ReasonName(failure.reason)));
  SetMetadata(info, "field", failure.field);
  SetMetadata(info, "got", failure.got);
  SetMetadata(info, "allowed", failure.allowed);

  const grpc::StatusCode code = CodeOf(failure.reason);
  const std::string message = Shorten(failure.message);
  google::rpc::Status details;
  details.set_code(static_cast<int>(code));
  details.set_message(message);
  details.add_details()->PackFrom(info);
  if (IsWorthRetrying(failure.reason)) {
    google::rpc::RetryInfo retry;
    retry.mutable_retry_delay()->set_seconds(retry_delay.count() / 1000);
    retry.mutable_retry_delay()->set_nanos(static_cast<int>(retry_delay.count() % 1000) *
                                           1'000'000);
    details.add_details()->PackFrom(retry);
  }
  return {code, message, details.SerializeAsString()};
}

}  // namespace causeway::rpc
