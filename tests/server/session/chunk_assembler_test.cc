// SPDX-License-Identifier: Apache-2.0
#include "server/session/chunk_assembler.h"

#include <vector>

#include <gtest/gtest.h>

namespace causeway {
namespace {

const Clock::time_point kStart{};

class ChunkAssemblerTest : public ::testing::Test {
 protected:
  ChunkAssemblerTest() {
    assembler_.set_rules({.latent_bytes = 10,
                          .max_chunk_latents = 3,
                          .max_fragmented_bytes = 60,
                          .has_checksums = false});
  }
  static ChunkRequest Message(int latents, int index, int count, std::size_t bytes) {
    return {.seq = 5,
            .latents = latents,
            .payload = std::string(bytes, static_cast<char>('a' + index)),
            .fragment_index = index,
            .fragment_count = count};
  }
  ChunkAssembler::Step Add(ChunkRequest message, int at_ms = 0) {
    return assembler_.Add(std::move(message), 0, kStart + std::chrono::milliseconds(at_ms));
  }
  Reason RefusalOf(ChunkRequest message) {
    const ChunkAssembler::Step step = Add(std::move(message));
    EXPECT_TRUE(step.refusal);
    EXPECT_FALSE(assembler_.is_assembling());
    return step.refusal ? step.refusal->reason : Reason::kInternalBug;
  }

  ChunkAssembler assembler_;
};

TEST_F(ChunkAssemblerTest, AMessageWithoutFragmentIsAWholeChunk) {
  for (const int count : {0, 1}) {
    const ChunkAssembler::Step step = Add(Message(2, 0, count, 20));
    ASSERT_TRUE(step.whole);
    EXPECT_EQ(step.whole->request.payload.size(), 20u);
  }
}

TEST_F(ChunkAssemblerTest, JoinsFragmentsInOrderAndRemembersWhenTheyCame) {
  EXPECT_FALSE(Add(Message(4, 0, 3, 15), 1).whole);
  EXPECT_EQ(assembler_.bytes(), 15);
  EXPECT_FALSE(Add(Message(0, 1, 3, 15), 2).whole);  // the rest of its header is not read
  const ChunkAssembler::Step step = Add(Message(0, 2, 3, 10), 3);
  ASSERT_TRUE(step.whole);
  EXPECT_EQ(step.whole->request.latents, 4);
  EXPECT_EQ(step.whole->request.payload,
            std::string(15, 'a') + std::string(15, 'b') + std::string(10, 'c'));
  EXPECT_EQ(step.whole->first_arrival, kStart + std::chrono::milliseconds(1));
  EXPECT_EQ(step.whole->last_arrival, kStart + std::chrono::milliseconds(3));
  EXPECT_FALSE(assembler_.is_assembling());
}

TEST_F(ChunkAssemblerTest, RefusesFragmentsThatDoNotFollowEachOther) {
  for (const auto& next : {Message(4, 0, 3, 15), Message(4, 2, 3, 15), Message(4, 1, 2, 15),
                           Message(4, -1, 3, 15), Message(2, 0, 0, 20)}) {
    Add(Message(4, 0, 3, 15));
    EXPECT_EQ(RefusalOf(next), Reason::kBadFragment);
  }
}

TEST_F(ChunkAssemblerTest, RefusesAFirstMessageThatIsNone) {
  for (const auto& first : {Message(4, 1, 3, 15), Message(4, -1, 3, 15), Message(4, 0, -1, 15),
                            Message(4, 0, 5000, 15)}) {
    EXPECT_EQ(RefusalOf(first), Reason::kBadFragment);
  }
}

TEST_F(ChunkAssemblerTest, KnowsTheRestOfARefusedChunk) {
  Add(Message(4, 0, 3, 15));
  RefusalOf(Message(4, 2, 3, 15));
  EXPECT_TRUE(assembler_.IsLeftover(Message(4, 1, 3, 15)));
  EXPECT_FALSE(assembler_.IsLeftover(Message(4, 0, 3, 15)));
  Add(Message(4, 0, 3, 15));
  EXPECT_FALSE(assembler_.IsLeftover(Message(4, 1, 3, 15)));
}

TEST_F(ChunkAssemblerTest, RefusesMoreThanTheChunkHoldsBeforeItKeepsIt) {
  Add(Message(4, 0, 3, 15));
  EXPECT_EQ(RefusalOf(Message(4, 1, 3, 25)), Reason::kPayloadSizeMismatch);
  Add(Message(4, 0, 2, 15));
  EXPECT_EQ(RefusalOf(Message(4, 1, 2, 24)), Reason::kPayloadSizeMismatch);
}

TEST_F(ChunkAssemblerTest, BoundsTheLatentsOfAMessageAndOfFragments) {
  EXPECT_EQ(RefusalOf(Message(4, 0, 1, 40)), Reason::kChunkTooLong);
  EXPECT_EQ(RefusalOf(Message(7, 0, 2, 40)), Reason::kChunkTooLong);
  EXPECT_FALSE(Add(Message(6, 0, 2, 40)).refusal);
}

TEST_F(ChunkAssemblerTest, RefusesTimesOutOfRange) {
  for (const std::int64_t deadline : {std::int64_t{-1}, std::int64_t{3'600'000'001}}) {
    ChunkRequest message = Message(1, 0, 0, 10);
    message.deadline_us = deadline;
    EXPECT_EQ(RefusalOf(message), Reason::kBadOption);
  }
  ChunkRequest message = Message(1, 0, 0, 10);
  message.pts = (std::int64_t{1} << 62) + 1;
  EXPECT_EQ(RefusalOf(message), Reason::kBadOption);
}

TEST_F(ChunkAssemblerTest, ComparesChecksumsWhereTheSessionHasThem) {
  ChunkRequest message = Message(1, 0, 0, 10);
  message.crc32c = 7;
  EXPECT_TRUE(assembler_.Add(message, 8, kStart).whole);
  assembler_.set_rules({.latent_bytes = 10, .max_chunk_latents = 3, .has_checksums = true});
  EXPECT_TRUE(assembler_.Add(message, 7, kStart).whole);
  EXPECT_EQ(assembler_.Add(message, 8, kStart).refusal->reason, Reason::kChecksumMismatch);
}

}  // namespace
}  // namespace causeway
