// SPDX-License-Identifier: Apache-2.0
#include "client/lib/decode_error.h"

#include <grpcpp/support/status.h>
#include <gtest/gtest.h>

#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"

namespace causeway::client {
namespace {

grpc::Status StatusWithInfo() {
  google::rpc::ErrorInfo info;
  info.set_reason("BAD_GEOMETRY");
  info.set_domain("causeway");
  (*info.mutable_metadata())["field"] = "geometry.height";
  (*info.mutable_metadata())["got"] = "100";
  (*info.mutable_metadata())["allowed"] = "a multiple of 8";
  google::rpc::Status details;
  details.add_details()->PackFrom(info);
  return {grpc::StatusCode::INVALID_ARGUMENT, "geometry.height: got 100",
          details.SerializeAsString()};
}

TEST(DecodeError, TakesReasonAndFieldsFromErrorInfo) {
  const DecodeError error = ErrorFromStatus(StatusWithInfo());
  EXPECT_EQ(error.code(), "INVALID_ARGUMENT");
  EXPECT_EQ(error.reason(), "BAD_GEOMETRY");
  EXPECT_EQ(error.field(), "geometry.height");
  EXPECT_EQ(error.got(), "100");
  EXPECT_EQ(error.allowed(), "a multiple of 8");
  EXPECT_STREQ(error.what(), "geometry.height: got 100");
}

TEST(DecodeError, WorksWithoutDetailsAndWithGarbageInThem) {
  const DecodeError bare = ErrorFromStatus({grpc::StatusCode::UNAVAILABLE, "gone"});
  EXPECT_EQ(bare.code(), "UNAVAILABLE");
  EXPECT_EQ(bare.reason(), "");
  const DecodeError garbage =
      ErrorFromStatus({grpc::StatusCode::INTERNAL, "gone", std::string("\xff\xff\xff\x01", 4)});
  EXPECT_EQ(garbage.code(), "INTERNAL");
  EXPECT_EQ(garbage.reason(), "");
}

TEST(DecodeError, IsAlwaysOneLineAndNeverEmpty) {
  EXPECT_STREQ(ErrorFromStatus({grpc::StatusCode::INTERNAL, "a\nb\r\nc"}).what(), "a b  c");
  EXPECT_STREQ(ErrorFromStatus({grpc::StatusCode::ABORTED, ""}).what(),
               "the server ended the stream with status ABORTED");
}

TEST(DecodeError, TakesTheDelayFromRetryInfo) {
  google::rpc::RetryInfo retry;
  retry.mutable_retry_delay()->set_seconds(2);
  retry.mutable_retry_delay()->set_nanos(500'000'000);
  google::rpc::Status details;
  details.add_details()->PackFrom(retry);
  const DecodeError error =
      ErrorFromStatus({grpc::StatusCode::RESOURCE_EXHAUSTED, "full", details.SerializeAsString()});
  EXPECT_EQ(error.retry_after(), std::chrono::milliseconds(2500));
  EXPECT_EQ(error.kind(), ErrorKind::kNoCapacity);
  EXPECT_FALSE(ErrorFromStatus(StatusWithInfo()).retry_after());
}

TEST(DecodeError, OfAnAnswerIsTheProtocolsWhateverItsReason) {
  EXPECT_EQ(ErrorInAnswer(Reason::kBadFragment, "a gap").kind(), ErrorKind::kProtocol);
  EXPECT_EQ(ChecksumError("frame 3").kind(), ErrorKind::kDataLoss);
}

TEST(DecodeError, OfWhatWasNotSentCarriesTheFailure) {
  const DecodeError error =
      ErrorBeforeSending(BadField(Reason::kChunkTooLong, "latents", "9", "1 to 3"));
  EXPECT_EQ(error.reason(), "CHUNK_TOO_LONG");
  EXPECT_EQ(error.field(), "latents");
  EXPECT_EQ(error.got(), "9");
  EXPECT_EQ(error.allowed(), "1 to 3");
}

}  // namespace
}  // namespace causeway::client
