// SPDX-License-Identifier: Apache-2.0
#include "server/session/open_check.h"

#include <string>

#include <gtest/gtest.h>

#include "tests/support/fake_decode_worker.h"
#include "tests/support/stream_data.h"

namespace causeway {
namespace {

using testing::FakeDecodeWorker;
using testing::ValidOpen;

constexpr int kMessageBytes = 8 * 1024 * 1024;

Failure Refusal(const OpenRequest& request, int max_message_bytes = kMessageBytes) {
  const FakeDecodeWorker worker;
  const Result<OpenTerms> terms = CheckOpen(request, worker, max_message_bytes);
  EXPECT_FALSE(terms.ok());
  return terms.ok() ? Failure{} : terms.failure();
}

TEST(OpenCheck, TakesAValidOpen) {
  const FakeDecodeWorker worker;
  const Result<OpenTerms> terms = CheckOpen(ValidOpen(), worker, kMessageBytes);
  ASSERT_TRUE(terms.ok());
  EXPECT_EQ(terms.value().fragment_bytes, kDefaultFragmentBytes);
  EXPECT_EQ(terms.value().facts.frame_bytes, 3 * 64 * 64);
  // 4 channels of 8x8 fp32.
  EXPECT_EQ(terms.value().max_chunk_latents, (kMessageBytes - kChunkHeaderBytes) / 1024);
}

TEST(OpenCheck, RefusesAnUnknownModelAndListsThoseThereAre) {
  OpenRequest request = ValidOpen();
  request.spec.model = "wan99";
  const Failure failure = Refusal(request);
  EXPECT_EQ(failure.reason, Reason::kUnknownModel);
  EXPECT_EQ(failure.field, "model");
  EXPECT_EQ(failure.got, "'wan99'");
  EXPECT_EQ(failure.allowed, "fake, other");
}

TEST(OpenCheck, AnErrorStaysShortHoweverLongTheName) {
  OpenRequest request = ValidOpen();
  request.spec.model = std::string(1'000'000, 'x');
  EXPECT_LT(Refusal(request).message.size(), 200u);
}

TEST(OpenCheck, RefusesExtentsThatAreNoMultipleOf8Or0OrTooLarge) {
  for (const int extent : {-64, -1, 0, 1, 7, 12, 63, 8193, 8200, 2147483647, -2147483647 - 1}) {
    OpenRequest request = ValidOpen();
    request.spec.geometry = {.height = extent, .width = 64};
    EXPECT_EQ(Refusal(request).reason, Reason::kBadGeometry) << extent;
    EXPECT_EQ(Refusal(request).field, "geometry.height");
    EXPECT_EQ(Refusal(request).got, std::to_string(extent));
    request.spec.geometry = {.height = 64, .width = extent};
    EXPECT_EQ(Refusal(request).field, "geometry.width");
  }
}

TEST(OpenCheck, TakesTheSmallestAndTheLargestExtent) {
  const FakeDecodeWorker worker;
  for (const int extent : {8, 8192}) {
    OpenRequest request = ValidOpen();
    request.spec.geometry = {.height = extent, .width = 8};
    EXPECT_TRUE(CheckOpen(request, worker, kMessageBytes).ok()) << extent;
  }
}

TEST(OpenCheck, RefusesFragmentSizesOutsideTheirRange) {
  for (const int bytes : {-1, 1, kMinFragmentBytes - 1, kMaxFragmentBytes + 1}) {
    OpenRequest request = ValidOpen();
    request.fragment_bytes = bytes;
    EXPECT_EQ(Refusal(request).reason, Reason::kBadOption) << bytes;
    EXPECT_EQ(Refusal(request).field, "output.fragment_bytes");
  }
  const FakeDecodeWorker worker;
  for (const int bytes : {kMinFragmentBytes, kMaxFragmentBytes}) {
    OpenRequest request = ValidOpen();
    request.fragment_bytes = bytes;
    ASSERT_TRUE(CheckOpen(request, worker, kMessageBytes).ok()) << bytes;
    EXPECT_EQ(CheckOpen(request, worker, kMessageBytes).value().fragment_bytes, bytes);
  }
}

TEST(OpenCheck, RefusesALongClientReference) {
  OpenRequest request = ValidOpen();
  request.client_ref = std::string(65, 'x');
  EXPECT_EQ(Refusal(request).reason, Reason::kBadOption);
  EXPECT_EQ(Refusal(request).field, "client_ref");
  EXPECT_EQ(Refusal(request).got, "65 bytes");
}

TEST(OpenCheck, RefusesAGeometryOfWhichNoLatentFitsIntoAMessage) {
  OpenRequest request = ValidOpen();
  request.spec.geometry = {.height = 512, .width = 512};  // 65536 bytes a latent
  EXPECT_EQ(Refusal(request, 65536).reason, Reason::kBadGeometry);
  EXPECT_EQ(Refusal(request, 65536).field, "geometry");
  const FakeDecodeWorker worker;
  const Result<OpenTerms> terms = CheckOpen(request, worker, 65536 + kChunkHeaderBytes);
  ASSERT_TRUE(terms.ok());
  EXPECT_EQ(terms.value().max_chunk_latents, 1);
}

}  // namespace
}  // namespace causeway
