// SPDX-License-Identifier: Apache-2.0
#include "server/scheduler/catch_failure.h"

#include <memory>

#include <gtest/gtest.h>

namespace causeway {
namespace {

TEST(CatchFailure, PassesAValueThrough) {
  const Result<int> result = CatchFailure([] { return 7; });
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result.value(), 7);
}

TEST(CatchFailure, PassesAMoveOnlyValueThrough) {
  Result<std::unique_ptr<int>> result = CatchFailure([] { return std::make_unique<int>(7); });
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(*result.value(), 7);
}

TEST(CatchFailure, KeepsTheReasonAndTheFieldOfAFailureError) {
  const Result<int> result = CatchFailure([]() -> int {
    throw FailureError(BadField(Reason::kBadGeometry, "height", "7", "a multiple of 8"));
  });
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.failure().reason, Reason::kBadGeometry);
  EXPECT_EQ(result.failure().field, "height");
  EXPECT_EQ(result.failure().got, "7");
  EXPECT_EQ(result.failure().allowed, "a multiple of 8");
}

TEST(CatchFailure, CallsEverythingElseAnInternalBug) {
  const auto reason = [](auto function) { return CatchFailure(function).failure().reason; };
  EXPECT_EQ(reason([]() -> int { throw std::bad_alloc(); }), Reason::kInternalBug);
  EXPECT_EQ(reason([]() -> int { throw std::runtime_error("x"); }), Reason::kInternalBug);
  EXPECT_EQ(reason([]() -> int { throw 7; }), Reason::kInternalBug);
}

TEST(CatchFailure, TellsOneLineOfWhatWentWrong) {
  const Result<int> result =
      CatchFailure([]() -> int { throw std::runtime_error("sizes differ\nframe #0: at::add"); });
  EXPECT_EQ(result.failure().message, "the decoder failed: sizes differ");
}

}  // namespace
}  // namespace causeway
