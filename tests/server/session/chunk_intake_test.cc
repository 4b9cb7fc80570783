// SPDX-License-Identifier: Apache-2.0
#include "server/session/chunk_intake.h"

#include <gtest/gtest.h>

namespace causeway {
namespace {

class ChunkIntakeTest : public ::testing::Test {
 protected:
  ChunkIntakeTest() {
    StreamLimits limits;
    limits.max_chunk_latents = 3;
    limits.max_pending_chunks = 2;
    limits.max_pending_bytes = 60;
    StreamFacts facts;
    facts.latent_bytes = 10;
    intake_.Open(limits, facts, /*has_checksums=*/true);
  }
  static ChunkRequest Message(std::uint64_t seq, int latents) {
    return {.seq = seq,
            .latents = latents,
            .payload = std::string(static_cast<std::size_t>(latents) * 10, 'x'),
            .crc32c = 1};
  }
  ChunkIntake::Verdict Take(ChunkRequest message, std::uint32_t crc32c = 1) {
    return intake_.Take(std::move(message), crc32c, {});
  }
  Reason FailureOf(ChunkRequest message) {
    const ChunkIntake::Verdict verdict = Take(std::move(message));
    const auto* failure = std::get_if<Failure>(&verdict);
    EXPECT_NE(failure, nullptr);
    return failure == nullptr ? Reason::kInternalBug : failure->reason;
  }

  ChunkIntake intake_;
};

TEST_F(ChunkIntakeTest, NumbersFramesAndEpochs) {
  EXPECT_TRUE(std::holds_alternative<WholeChunk>(Take(Message(0, 2))));
  ChunkIntake::Numbers numbers = intake_.Accept(Message(0, 2));
  EXPECT_EQ(numbers.first_frame, 0u);
  EXPECT_EQ(numbers.frame_count, 5);
  numbers = intake_.Accept(Message(1, 2));
  EXPECT_EQ(numbers.first_frame, 5u);
  EXPECT_EQ(numbers.frame_count, 8);
  EXPECT_FALSE(numbers.resets);
  EXPECT_FALSE(intake_.HoldReset(2));
  numbers = intake_.Accept(Message(2, 1));
  EXPECT_TRUE(numbers.resets);
  EXPECT_EQ(numbers.epoch, 1u);
  EXPECT_EQ(numbers.first_frame, 13u);
  EXPECT_EQ(numbers.frame_count, 1);
}

TEST_F(ChunkIntakeTest, GivesCreditBackWithTheAnswer) {
  Take(Message(0, 3));
  intake_.Accept(Message(0, 3));
  Take(Message(1, 3));
  intake_.Accept(Message(1, 3));
  EXPECT_EQ(FailureOf(Message(2, 1)), Reason::kInputOverrun);
}

TEST_F(ChunkIntakeTest, TakesOnAfterAnAnswer) {
  Take(Message(0, 3));
  intake_.Accept(Message(0, 3));
  Take(Message(1, 3));
  intake_.Accept(Message(1, 3));
  intake_.GiveBack(30);
  EXPECT_TRUE(std::holds_alternative<WholeChunk>(Take(Message(2, 3))));
}

TEST_F(ChunkIntakeTest, GivesBackTheRestOfARefusedChunkAtOnce) {
  ChunkRequest first = Message(0, 3);
  first.payload.resize(20);
  first.fragment_count = 3;
  EXPECT_TRUE(std::holds_alternative<std::monostate>(Take(first)));
  ChunkRequest skipped = first;
  skipped.fragment_index = 2;
  const ChunkIntake::Verdict refused = Take(skipped);
  ASSERT_TRUE(std::holds_alternative<ChunkErrorOutput>(refused));
  EXPECT_EQ(std::get<ChunkErrorOutput>(refused).input_bytes, 40);
  const ChunkIntake::Verdict rest = Take(skipped);
  ASSERT_TRUE(std::holds_alternative<InputCreditOutput>(rest));
  EXPECT_EQ(std::get<InputCreditOutput>(rest).bytes, 20);
  EXPECT_EQ(std::get<InputCreditOutput>(rest).chunks, 0);
}

TEST_F(ChunkIntakeTest, AChunkInsideAnotherEndsTheStream) {
  ChunkRequest first = Message(0, 3);
  first.payload.resize(20);
  first.fragment_count = 3;
  Take(first);
  EXPECT_EQ(FailureOf(Message(1, 1)), Reason::kBadFragment);
}

TEST_F(ChunkIntakeTest, TheThirdChecksumFaultEndsTheStream) {
  for (int fault = 0; fault < 2; ++fault) {
    const ChunkIntake::Verdict verdict = Take(Message(0, 1), 2);
    ASSERT_TRUE(std::holds_alternative<ChunkErrorOutput>(verdict));
    EXPECT_EQ(std::get<ChunkErrorOutput>(verdict).failure.reason, Reason::kChecksumMismatch);
    intake_.GiveBack(10);
  }
  const ChunkIntake::Verdict third = Take(Message(0, 1), 2);
  ASSERT_TRUE(std::holds_alternative<Failure>(third));
  EXPECT_EQ(std::get<Failure>(third).reason, Reason::kChecksumMismatch);
}

TEST_F(ChunkIntakeTest, RefusesAResetInThePastAndTooManyAhead) {
  Take(Message(0, 1));
  intake_.Accept(Message(0, 1));
  EXPECT_EQ(intake_.HoldReset(0)->reason, Reason::kBadReset);
  for (std::uint64_t at = 1; at <= ChunkIntake::kMostHeldResets; ++at) {
    EXPECT_FALSE(intake_.HoldReset(at));
  }
  EXPECT_FALSE(intake_.HoldReset(1));  // held already
  EXPECT_EQ(intake_.HoldReset(100)->reason, Reason::kBadOption);
}

}  // namespace
}  // namespace causeway
