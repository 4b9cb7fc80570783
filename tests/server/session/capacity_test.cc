// SPDX-License-Identifier: Apache-2.0
#include "server/session/capacity.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace causeway {
namespace {

TEST(CapacityLedger, CountsSessionsAndBytesUntilTheReservationIsGone) {
  CapacityLedger ledger(2, 100);
  {
    const Result<Reservation> first = ledger.Reserve(60);
    ASSERT_TRUE(first.ok());
    EXPECT_EQ(first.value().bytes(), 60);
    EXPECT_EQ(ledger.sessions(), 1);
    EXPECT_EQ(ledger.bytes(), 60);
  }
  EXPECT_EQ(ledger.sessions(), 0);
  EXPECT_EQ(ledger.bytes(), 0);
}

TEST(CapacityLedger, GivesAMovedReservationBackOnce) {
  CapacityLedger ledger(2, 100);
  std::optional<Reservation> kept;
  {
    Result<Reservation> first = ledger.Reserve(60);
    kept = std::move(first.value());
  }
  EXPECT_EQ(ledger.bytes(), 60);
  kept.reset();
  EXPECT_EQ(ledger.bytes(), 0);
  EXPECT_EQ(ledger.sessions(), 0);
}

TEST(CapacityLedger, GivesTheOldReservationBackWhenAnotherIsMovedIn) {
  CapacityLedger ledger(2, 100);
  Result<Reservation> first = ledger.Reserve(60);
  Result<Reservation> second = ledger.Reserve(30);
  first.value() = std::move(second.value());
  EXPECT_EQ(ledger.bytes(), 30);
  EXPECT_EQ(ledger.sessions(), 1);
}

TEST(CapacityLedger, RefusesASessionTooMany) {
  CapacityLedger ledger(1, 100);
  const Result<Reservation> first = ledger.Reserve(0);
  const Result<Reservation> second = ledger.Reserve(0);
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.failure().reason, Reason::kNoCapacitySessions);
  EXPECT_EQ(second.failure().got, "2");
  EXPECT_EQ(second.failure().allowed, "1");
  EXPECT_EQ(ledger.sessions(), 1);
}

TEST(CapacityLedger, RefusesAByteTooMany) {
  CapacityLedger ledger(5, 100);
  const Result<Reservation> first = ledger.Reserve(60);
  const Result<Reservation> second = ledger.Reserve(41);
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.failure().reason, Reason::kNoCapacityBytes);
  EXPECT_EQ(second.failure().got, "41");
  EXPECT_EQ(second.failure().allowed, "40");
  EXPECT_TRUE(ledger.Reserve(40).ok());
}

TEST(CapacityLedger, RefusesTheLargestNumberWithoutOverflow) {
  CapacityLedger ledger(5, std::numeric_limits<std::int64_t>::max());
  const Result<Reservation> first = ledger.Reserve(1);
  EXPECT_FALSE(ledger.Reserve(std::numeric_limits<std::int64_t>::max()).ok());
}

TEST(CapacityLedger, IsEmptyAfterTenThousandRandomOpensAndCloses) {
  CapacityLedger ledger(20, 1000);
  std::mt19937 engine(7);
  std::vector<Reservation> held;
  std::int64_t bytes = 0;
  for (int step = 0; step < 10'000; ++step) {
    if (engine() % 2 == 0 && !held.empty()) {
      std::swap(held[engine() % held.size()], held.back());
      bytes -= held.back().bytes();
      held.pop_back();
    } else {
      const std::int64_t wanted = engine() % 200;
      Result<Reservation> reservation = ledger.Reserve(wanted);
      ASSERT_EQ(reservation.ok(), held.size() < 20 && bytes + wanted <= 1000);
      if (!reservation.ok()) continue;
      bytes += wanted;
      held.push_back(std::move(reservation.value()));
    }
    ASSERT_EQ(ledger.sessions(), static_cast<int>(held.size()));
    ASSERT_EQ(ledger.bytes(), bytes);
  }
  held.clear();
  EXPECT_EQ(ledger.sessions(), 0);
  EXPECT_EQ(ledger.bytes(), 0);
}

}  // namespace
}  // namespace causeway
