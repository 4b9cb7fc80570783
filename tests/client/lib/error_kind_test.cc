// SPDX-License-Identifier: Apache-2.0
#include "client/lib/error_kind.h"

#include <gtest/gtest.h>

#include "server/base/reason.h"

namespace causeway::client {
namespace {

TEST(ErrorKind, KnowsEveryReasonThatAServerCanGive) {
  // A reason that is not known falls back to its code: here to one that no reason has.
  for (int i = 0; i <= static_cast<int>(Reason::kNotImplemented); ++i) {
    const std::string_view name = ReasonName(static_cast<Reason>(i));
    const bool is_fault = name == "NUMERIC_FAULT" || name == "INTERNAL_BUG";
    EXPECT_EQ(KindOf(name, "OK") == ErrorKind::kServerFault, is_fault) << name;
  }
}

TEST(ErrorKind, OfAReasonGoesBeforeThatOfItsCode) {
  EXPECT_EQ(KindOf("INPUT_OVERRUN", "RESOURCE_EXHAUSTED"), ErrorKind::kOverrun);
  EXPECT_EQ(KindOf("NO_CAPACITY_BYTES", "RESOURCE_EXHAUSTED"), ErrorKind::kNoCapacity);
  EXPECT_EQ(KindOf("SLOW_CONSUMER", "ABORTED"), ErrorKind::kSessionLost);
}

TEST(ErrorKind, OfAnUnknownReasonIsThatOfTheCode) {
  EXPECT_EQ(KindOf("", "UNAVAILABLE"), ErrorKind::kUnavailable);
  EXPECT_EQ(KindOf("FROM_THE_FUTURE", "PERMISSION_DENIED"), ErrorKind::kAccessDenied);
  EXPECT_EQ(KindOf("", "UNKNOWN"), ErrorKind::kServerFault);
}

}  // namespace
}  // namespace causeway::client
