// SPDX-License-Identifier: Apache-2.0
#include "client/lib/input_credits.h"

#include <limits>

#include <gtest/gtest.h>

#include "client/lib/decode_error.h"
#include "tests/client/lib/scripted_server.h"

namespace causeway::client {
namespace {

v1::InputCredit Credit(int chunks, std::int64_t bytes) {
  v1::InputCredit credit;
  credit.set_chunks(chunks);
  credit.set_bytes(bytes);
  return credit;
}

TEST(InputCredits, AllowWhatBothChunksAndBytesAllow) {
  InputCredits credits(CreditedOpened({}));  // 2 chunks, 192 bytes
  EXPECT_TRUE(credits.Allow(192));
  EXPECT_FALSE(credits.Allow(193));
  credits.Spend(100);
  EXPECT_TRUE(credits.Allow(92));
  EXPECT_FALSE(credits.Allow(93));
  credits.Spend(10);
  EXPECT_FALSE(credits.has_chunk());
  EXPECT_FALSE(credits.Allow(1));
  credits.Regain(Credit(1, 0));
  EXPECT_TRUE(credits.Allow(82));
  EXPECT_FALSE(credits.Allow(83));
  credits.Regain(Credit(0, 110));
  EXPECT_TRUE(credits.Allow(192));
}

TEST(InputCredits, AnswersGiveNothingBackWhereTheServerCounts) {
  InputCredits credits(CreditedOpened({}));
  credits.Spend(1);
  credits.Spend(1);
  credits.Answered();
  EXPECT_FALSE(credits.has_chunk());
}

TEST(InputCredits, OfAFirstVersionServerAreItsPendingChunks) {
  InputCredits credits(SmallOpened());  // 2 pending chunks
  EXPECT_TRUE(credits.Allow(std::numeric_limits<std::int64_t>::max()));
  credits.Spend(1000);
  credits.Spend(1000);
  EXPECT_FALSE(credits.has_chunk());
  credits.Answered();
  EXPECT_TRUE(credits.Allow(1000));
}

TEST(InputCredits, RefuseNegativeOnesAndDoNotOverflow) {
  InputCredits credits(CreditedOpened({}));
  EXPECT_THROW(credits.Regain(Credit(-1, 0)), DecodeError);
  EXPECT_THROW(credits.Regain(Credit(0, -1)), DecodeError);
  credits.Regain(Credit(1, std::numeric_limits<std::int64_t>::max()));
  credits.Regain(Credit(1, std::numeric_limits<std::int64_t>::max()));
  EXPECT_TRUE(credits.Allow(std::numeric_limits<std::int64_t>::max()));
}

}  // namespace
}  // namespace causeway::client
