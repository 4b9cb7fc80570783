// SPDX-License-Identifier: Apache-2.0
#include "server/rpc/status_table.h"

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"

namespace causeway::rpc {
namespace {

constexpr std::chrono::milliseconds kDelay{2500};

std::vector<Reason> AllReasons() {
  std::vector<Reason> reasons;
  for (int value = 0; value <= static_cast<int>(Reason::kNotImplemented); ++value) {
    reasons.push_back(static_cast<Reason>(value));
  }
  return reasons;
}

google::rpc::Status DetailsOf(const grpc::Status& status) {
  google::rpc::Status details;
  EXPECT_TRUE(details.ParseFromString(status.error_details()));
  return details;
}

std::string CodeName(grpc::StatusCode code) {
  static const std::map<grpc::StatusCode, std::string> kNames{
      {grpc::StatusCode::INVALID_ARGUMENT, "INVALID_ARGUMENT"},
      {grpc::StatusCode::DEADLINE_EXCEEDED, "DEADLINE_EXCEEDED"},
      {grpc::StatusCode::NOT_FOUND, "NOT_FOUND"},
      {grpc::StatusCode::RESOURCE_EXHAUSTED, "RESOURCE_EXHAUSTED"},
      {grpc::StatusCode::FAILED_PRECONDITION, "FAILED_PRECONDITION"},
      {grpc::StatusCode::UNIMPLEMENTED, "UNIMPLEMENTED"},
      {grpc::StatusCode::ABORTED, "ABORTED"},
      {grpc::StatusCode::DATA_LOSS, "DATA_LOSS"},
      {grpc::StatusCode::INTERNAL, "INTERNAL"},
      {grpc::StatusCode::UNAVAILABLE, "UNAVAILABLE"}};
  return kNames.at(code);
}

/// The table rows "| `REASON` | `CODE` | ..." of a Markdown file.
std::map<std::string, std::string> DocumentedCodes(const std::string& path) {
  std::ifstream file(path);
  std::map<std::string, std::string> codes;
  for (std::string line; std::getline(file, line);) {
    std::vector<std::string> parts;
    std::istringstream stream(line);
    for (std::string part; std::getline(stream, part, '`');) parts.push_back(part);
    if (parts.size() >= 5 && parts[0] == "| " && parts[2] == " | ") codes[parts[1]] = parts[3];
  }
  return codes;
}

TEST(StatusTable, IsTheTableOfTheProtocolsDocumentation) {
  std::map<std::string, std::string> coded;
  for (const Reason reason : AllReasons()) {
    coded[std::string(ReasonName(reason))] = CodeName(CodeOf(reason));
  }
  EXPECT_EQ(DocumentedCodes(CAUSEWAY_SOURCE_DIR "/proto/README.md"), coded);
}

TEST(StatusTable, CarriesReasonAndMetadataInTheDetails) {
  const grpc::Status status =
      ToStatus(BadField(Reason::kBadDtype, "dtype", "DTYPE_F64", "DTYPE_F32"), kDelay);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(status.error_message(), "dtype: got DTYPE_F64, allowed: DTYPE_F32");
  const google::rpc::Status details = DetailsOf(status);
  EXPECT_EQ(details.code(), static_cast<int>(status.error_code()));
  EXPECT_EQ(details.message(), status.error_message());
  ASSERT_EQ(details.details_size(), 1);
  google::rpc::ErrorInfo info;
  ASSERT_TRUE(details.details(0).UnpackTo(&info));
  EXPECT_EQ(info.domain(), "causeway");
  EXPECT_EQ(info.reason(), "BAD_DTYPE");
  EXPECT_EQ(info.metadata().at("field"), "dtype");
  EXPECT_EQ(info.metadata().at("got"), "DTYPE_F64");
  EXPECT_EQ(info.metadata().at("allowed"), "DTYPE_F32");
}

TEST(StatusTable, LeavesOutMetadataThatIsNotSet) {
  google::rpc::ErrorInfo info;
  ASSERT_TRUE(
      DetailsOf(ToStatus({Reason::kDraining, "x", "", "", ""}, kDelay)).details(0).UnpackTo(&info));
  EXPECT_TRUE(info.metadata().empty());
}

TEST(StatusTable, SaysWhenToRetryWhereThatHelps) {
  for (const Reason reason : AllReasons()) {
    const google::rpc::Status details = DetailsOf(ToStatus({reason, "x", "", "", ""}, kDelay));
    ASSERT_EQ(details.details_size(), IsWorthRetrying(reason) ? 2 : 1) << ReasonName(reason);
    if (!IsWorthRetrying(reason)) continue;
    google::rpc::RetryInfo retry;
    ASSERT_TRUE(details.details(1).UnpackTo(&retry));
    EXPECT_EQ(retry.retry_delay().seconds(), 2);
    EXPECT_EQ(retry.retry_delay().nanos(), 500'000'000);
  }
  EXPECT_TRUE(IsWorthRetrying(Reason::kNoCapacityBytes));
  EXPECT_TRUE(IsWorthRetrying(Reason::kNoCapacitySessions));
  EXPECT_FALSE(IsWorthRetrying(Reason::kBadDtype));
}

TEST(StatusTable, CutsLongTextsAtACharacterAndReplacesWhatIsNoText) {
  std::string euros;
  for (int count = 0; count < 10'000; ++count) euros += "\xE2\x82\xAC";
  const grpc::Status status = ToStatus(BadField(Reason::kBadOption, "x", euros, "\xFF"), kDelay);
  EXPECT_LT(status.error_details().size(), 4096u);
  google::rpc::ErrorInfo info;
  ASSERT_TRUE(DetailsOf(status).details(0).UnpackTo(&info));
  EXPECT_EQ(info.metadata().at("got"), euros.substr(0, 513));  // the first multiple of 3 from 512
  EXPECT_EQ(info.metadata().at("allowed"), "?");
}

}  // namespace
}  // namespace causeway::rpc
