// SPDX-License-Identifier: Apache-2.0
#include "client/lib/decode_error.h"

#include <algorithm>
#include <string_view>

#include <grpcpp/support/status.h>

#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"

namespace causeway::client {
namespace {

std::string CodeName(grpc::StatusCode code) {
  switch (code) {
    case grpc::StatusCode::OK:
      return "OK";
    case grpc::StatusCode::CANCELLED:
      return "CANCELLED";
    case grpc::StatusCode::INVALID_ARGUMENT:
      return "INVALID_ARGUMENT";
    case grpc::StatusCode::DEADLINE_EXCEEDED:
      return "DEADLINE_EXCEEDED";
    case grpc::StatusCode::NOT_FOUND:
      return "NOT_FOUND";
    case grpc::StatusCode::ALREADY_EXISTS:
      return "ALREADY_EXISTS";
    case grpc::StatusCode::PERMISSION_DENIED:
      return "PERMISSION_DENIED";
    case grpc::StatusCode::UNAUTHENTICATED:
      return "UNAUTHENTICATED";
    case grpc::StatusCode::RESOURCE_EXHAUSTED:
      return "RESOURCE_EXHAUSTED";
    case grpc::StatusCode::FAILED_PRECONDITION:
      return "FAILED_PRECONDITION";
    case grpc::StatusCode::ABORTED:
      return "ABORTED";
    case grpc::StatusCode::OUT_OF_RANGE:
      return "OUT_OF_RANGE";
    case grpc::StatusCode::UNIMPLEMENTED:
      return "UNIMPLEMENTED";
    case grpc::StatusCode::INTERNAL:
      return "INTERNAL";
    case grpc::StatusCode::UNAVAILABLE:
      return "UNAVAILABLE";
    case grpc::StatusCode::DATA_LOSS:
      return "DATA_LOSS";
    default:
      return "UNKNOWN";
  }
}

// Messages of the transport may span lines; errors of this library never do.
std::string OneLine(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

std::string Metadata(const google::rpc::ErrorInfo& info, const char* key) {
  const auto found = info.metadata().find(key);
  return found == info.metadata().end() ? std::string() : OneLine(found->second);
}

}  // namespace

DecodeError ErrorFromStatus(const grpc::Status& status) {
  DecodeError::Detail detail;
  detail.code = CodeName(status.error_code());
  google::rpc::Status details;
  if (details.ParseFromString(status.error_details())) {
    for (const auto& any : details.details()) {
      google::rpc::RetryInfo retry;
      if (any.Is<google::rpc::RetryInfo>() && any.UnpackTo(&retry)) {
        detail.retry_after = std::chrono::seconds(retry.retry_delay().seconds()) +
                             std::chrono::milliseconds(retry.retry_delay().nanos() / 1'000'000);
      }
      google::rpc::ErrorInfo info;
      if (!any.Is<google::rpc::ErrorInfo>() || !any.UnpackTo(&info)) continue;
      detail.reason = OneLine(info.reason());
      detail.field = Metadata(info, "field");
      detail.got = Metadata(info, "got");
      detail.allowed = Metadata(info, "allowed");
    }
  }
  std::string message = OneLine(status.error_message());
  if (message.empty()) message = "the server ended the stream with status " + detail.code;
  return {message, std::move(detail)};
}

DecodeError ErrorBeforeSending(const Failure& failure) {
  return {failure.message,
          {"INVALID_ARGUMENT",
           std::string(ReasonName(failure.reason)),
           failure.field,
           failure.got,
           failure.allowed,
           {}}};
}

DecodeError ErrorInAnswer(Reason reason, const std::string& problem) {
  return {"the server broke the protocol: " + problem,
          {"DATA_LOSS", std::string(ReasonName(reason)), "", "", "", {}},
          ErrorKind::kProtocol};
}

DecodeError ChecksumError(const std::string& problem) {
  return {problem,
          {"DATA_LOSS", std::string(ReasonName(Reason::kChecksumMismatch)), "", "", "", {}}};
}

}  // namespace causeway::client
