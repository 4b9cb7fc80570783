// SPDX-License-Identifier: Apache-2.0
#include "client/lib/frame_assembler.h"

#include <gtest/gtest.h>

#include "client/lib/decode_error.h"
#include "server/base/crc32c.h"
#include "tests/client/lib/scripted_server.h"

namespace causeway::client {
namespace {

constexpr std::int64_t kFrameBytes = 10;

void ExpectRefused(FrameAssembler& assembler, const v1::Frame& message, const std::string& word) {
  try {
    assembler.Add(message);
    FAIL() << "accepted: " << message.ShortDebugString();
  } catch (const DecodeError& error) {
    EXPECT_EQ(error.reason(), "BAD_FRAGMENT");
    EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
  }
}

TEST(FrameAssembler, JoinsFragmentsOfUnequalSizesInOrder) {
  FrameAssembler assembler(kFrameBytes);
  EXPECT_FALSE(assembler.Add(Fragment(0, 0, 0, 3, 4, 'a', true)));
  EXPECT_FALSE(assembler.Add(Fragment(0, 0, 1, 3, 5, 'b', true)));
  const std::optional<Frame> frame = assembler.Add(Fragment(0, 0, 2, 3, 1, 'c', true));
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->pixels, "aaaabbbbbc");
  EXPECT_EQ(frame->index, 0u);
  EXPECT_TRUE(frame->last_of_chunk);
}

TEST(FrameAssembler, TakesAFrameOfOneFragmentAndThenTheNextFrame) {
  FrameAssembler assembler(kFrameBytes);
  ASSERT_TRUE(assembler.Add(Fragment(0, 0, 0, 1, 10, 'a', true)));
  const std::optional<Frame> second = assembler.Add(Fragment(1, 1, 0, 1, 10, 'b', false));
  ASSERT_TRUE(second);
  EXPECT_EQ(second->index, 1u);
  EXPECT_EQ(second->chunk_seq, 1u);
  EXPECT_EQ(second->pixels, std::string(10, 'b'));
}

TEST(FrameAssembler, RefusesAMissingFrame) {
  FrameAssembler assembler(kFrameBytes);
  ExpectRefused(assembler, Fragment(1, 0, 0, 1, 10, 'a', false), "expected frame 0");
}

TEST(FrameAssembler, RefusesARepeatedFrame) {
  FrameAssembler assembler(kFrameBytes);
  assembler.Add(Fragment(0, 0, 0, 1, 10, 'a', false));
  ExpectRefused(assembler, Fragment(0, 0, 0, 1, 10, 'a', false), "expected frame 1");
}

TEST(FrameAssembler, RefusesAMissingFragment) {
  FrameAssembler assembler(kFrameBytes);
  assembler.Add(Fragment(0, 0, 0, 3, 4, 'a', false));
  ExpectRefused(assembler, Fragment(0, 0, 2, 3, 4, 'a', false), "expected fragment 1");
}

TEST(FrameAssembler, RefusesARepeatedFragment) {
  FrameAssembler assembler(kFrameBytes);
  assembler.Add(Fragment(0, 0, 0, 3, 4, 'a', false));
  ExpectRefused(assembler, Fragment(0, 0, 0, 3, 4, 'a', false), "expected fragment 1");
}

TEST(FrameAssembler, RefusesFragmentsThatOverlap) {
  FrameAssembler assembler(kFrameBytes);
  assembler.Add(Fragment(0, 0, 0, 2, 6, 'a', false));
  ExpectRefused(assembler, Fragment(0, 0, 1, 2, 6, 'b', false), "exceeds 10 bytes");
}

TEST(FrameAssembler, RefusesAFrameThatIsTooShort) {
  FrameAssembler assembler(kFrameBytes);
  assembler.Add(Fragment(0, 0, 0, 2, 4, 'a', false));
  ExpectRefused(assembler, Fragment(0, 0, 1, 2, 4, 'b', false), "has 8 bytes, not 10");
}

TEST(FrameAssembler, RefusesASingleFragmentOfTheWrongSize) {
  FrameAssembler longer(kFrameBytes);
  ExpectRefused(longer, Fragment(0, 0, 0, 1, 11, 'a', false), "exceeds 10 bytes");
  FrameAssembler shorter(kFrameBytes);
  ExpectRefused(shorter, Fragment(0, 0, 0, 1, 9, 'a', false), "has 9 bytes, not 10");
}

TEST(FrameAssembler, RefusesFragmentsThatDisagree) {
  FrameAssembler count(kFrameBytes);
  count.Add(Fragment(0, 0, 0, 3, 4, 'a', false));
  ExpectRefused(count, Fragment(0, 0, 1, 2, 6, 'a', false), "differ");
  FrameAssembler chunk(kFrameBytes);
  chunk.Add(Fragment(0, 0, 0, 2, 4, 'a', false));
  ExpectRefused(chunk, Fragment(0, 1, 1, 2, 6, 'a', false), "differ");
  FrameAssembler last(kFrameBytes);
  last.Add(Fragment(0, 0, 0, 2, 4, 'a', false));
  ExpectRefused(last, Fragment(0, 0, 1, 2, 6, 'a', true), "differ");
}

TEST(FrameAssembler, RefusesAFrameWithoutFragmentsAndAnEmptyFragment) {
  FrameAssembler none(kFrameBytes);
  ExpectRefused(none, Fragment(0, 0, 0, 0, 10, 'a', false), "at least one fragment");
  FrameAssembler empty(kFrameBytes);
  ExpectRefused(empty, Fragment(0, 0, 0, 2, 0, 'a', false), "empty");
}

TEST(FrameAssembler, RefusesAPayloadThatDoesNotMatchItsChecksum) {
  FrameAssembler assembler(kFrameBytes, /*checks_crc32c=*/true);
  v1::Frame first = Fragment(0, 0, 0, 2, 4, 'a', true);
  first.set_crc32c(Crc32c(std::as_bytes(std::span(first.payload()))));
  EXPECT_FALSE(assembler.Add(first));
  v1::Frame second = Fragment(0, 0, 1, 2, 6, 'b', true);
  second.set_crc32c(first.crc32c());
  try {
    assembler.Add(second);
    FAIL();
  } catch (const DecodeError& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kDataLoss);
    EXPECT_EQ(error.reason(), "CHECKSUM_MISMATCH");
    EXPECT_NE(std::string(error.what()).find("frame 0, fragment 1 of 2"), std::string::npos);
  }
}

TEST(FrameAssembler, PassesOverAFrameThatIsAnnouncedAsDropped) {
  FrameAssembler assembler(kFrameBytes);
  v1::FrameDropped dropped;
  assembler.Drop(dropped);
  EXPECT_TRUE(assembler.Add(Fragment(1, 0, 0, 1, 10, 'a', true)));
  EXPECT_THROW(assembler.Drop(dropped), DecodeError) << "it has come already";
}

TEST(FrameAssembler, RefusesADropInsideAFrame) {
  FrameAssembler assembler(kFrameBytes);
  assembler.Add(Fragment(0, 0, 0, 2, 4, 'a', true));
  EXPECT_THROW(assembler.Drop({}), DecodeError);
}

TEST(FrameAssembler, KeepsEpochAndPtsAndTheLatenessOfAnyFragment) {
  FrameAssembler assembler(kFrameBytes);
  v1::Frame first = Fragment(0, 0, 0, 2, 4, 'a', true);
  first.set_epoch(2);
  first.set_pts(-7);
  assembler.Add(first);
  v1::Frame second = first;
  second.mutable_fragment()->set_index(1);
  second.set_payload("bbbbbb");
  second.set_late(true);
  const std::optional<Frame> frame = assembler.Add(second);
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->epoch, 2u);
  EXPECT_EQ(frame->pts, -7);
  EXPECT_TRUE(frame->is_late);
}

}  // namespace
}  // namespace causeway::client
