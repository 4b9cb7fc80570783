// SPDX-License-Identifier: Apache-2.0
#include "client/lib/chunk_ledger.h"

#include <gtest/gtest.h>

#include "client/lib/decode_error.h"
#include "tests/client/lib/scripted_server.h"

namespace causeway::client {
namespace {

Frame FrameOf(std::uint64_t index, std::uint64_t chunk_seq, bool last_of_chunk) {
  return {index, chunk_seq, last_of_chunk, {}, {}};
}

v1::ChunkError Error(std::uint64_t chunk_seq) {
  v1::ChunkError error;
  error.set_chunk_seq(chunk_seq);
  return error;
}

void Arrive(ChunkLedger& ledger, std::uint64_t first, int count, std::uint64_t chunk_seq) {
  for (int i = 0; i < count; ++i) {
    ledger.Arrived(FrameOf(first + static_cast<std::uint64_t>(i), chunk_seq, i == count - 1));
  }
}

TEST(ChunkLedger, AcceptsASessionByTheRules) {
  ChunkLedger ledger(SmallOpened());
  EXPECT_EQ(ledger.Sent(3), 0u);
  EXPECT_EQ(ledger.Sent(1), 1u);
  Arrive(ledger, 0, 9, 0);
  ledger.Done(Done(0, 0, 9));
  Arrive(ledger, 9, 4, 1);
  ledger.Done(Done(1, 9, 4));
  EXPECT_NO_THROW(ledger.Closed(Totals(2, 13)));
}

TEST(ChunkLedger, GivesTheNumberOfARefusedChunkToTheNextOne) {
  ChunkLedger ledger(SmallOpened());
  ledger.Sent(1);
  ledger.Sent(1);
  ledger.Refused(Error(1));
  EXPECT_EQ(ledger.Sent(2), 1u);
}

TEST(ChunkLedger, TheFirstLatentIsTheFirstOneDecodedEvenAfterARefusal) {
  ChunkLedger ledger(SmallOpened());
  ledger.Sent(2);
  ledger.Refused(Error(0));
  ledger.Sent(2);
  Arrive(ledger, 0, 5, 0);
  EXPECT_NO_THROW(ledger.Done(Done(0, 0, 5)));
}

TEST(ChunkLedger, RefusesFramesThatNoChunkAskedFor) {
  ChunkLedger ledger(SmallOpened());
  EXPECT_THROW(ledger.Arrived(FrameOf(0, 0, true)), DecodeError);
}

TEST(ChunkLedger, RefusesFramesOfALaterChunk) {
  ChunkLedger ledger(SmallOpened());
  ledger.Sent(1);
  ledger.Sent(1);
  EXPECT_THROW(ledger.Arrived(FrameOf(0, 1, true)), DecodeError);
}

TEST(ChunkLedger, RefusesAFrameTooMany) {
  ChunkLedger ledger(SmallOpened());
  ledger.Sent(1);
  Arrive(ledger, 0, 1, 0);
  EXPECT_THROW(ledger.Arrived(FrameOf(1, 0, false)), DecodeError);
}

TEST(ChunkLedger, RefusesALastFrameThatComesEarlyOrUnmarked) {
  ChunkLedger early(SmallOpened());
  early.Sent(2);
  EXPECT_THROW(early.Arrived(FrameOf(0, 0, true)), DecodeError);
  ChunkLedger unmarked(SmallOpened());
  unmarked.Sent(1);
  EXPECT_THROW(unmarked.Arrived(FrameOf(0, 0, false)), DecodeError);
}

TEST(ChunkLedger, RefusesAChunkDoneBeforeItsFrames) {
  ChunkLedger ledger(SmallOpened());
  ledger.Sent(2);
  ledger.Arrived(FrameOf(0, 0, false));
  EXPECT_THROW(ledger.Done(Done(0, 0, 5)), DecodeError);
}

TEST(ChunkLedger, RefusesAChunkDoneWithOtherCounts) {
  ChunkLedger count(SmallOpened());
  count.Sent(1);
  Arrive(count, 0, 1, 0);
  EXPECT_THROW(count.Done(Done(0, 0, 2)), DecodeError);
  ChunkLedger first(SmallOpened());
  first.Sent(1);
  Arrive(first, 0, 1, 0);
  EXPECT_THROW(first.Done(Done(0, 1, 1)), DecodeError);
  ChunkLedger sequence(SmallOpened());
  sequence.Sent(1);
  Arrive(sequence, 0, 1, 0);
  EXPECT_THROW(sequence.Done(Done(1, 0, 1)), DecodeError);
}

TEST(ChunkLedger, RefusesAChunkErrorForAChunkThatIsNotPendingOrHasFrames) {
  ChunkLedger ledger(SmallOpened());
  EXPECT_THROW(ledger.Refused(Error(0)), DecodeError);
  ledger.Sent(2);
  ledger.Arrived(FrameOf(0, 0, false));
  EXPECT_THROW(ledger.Refused(Error(0)), DecodeError);
}

v1::ChunkAccepted Accepted(std::uint64_t chunk_seq, std::uint64_t first, int count,
                           std::uint64_t epoch) {
  v1::ChunkAccepted accepted;
  accepted.set_chunk_seq(chunk_seq);
  accepted.set_first_frame_index(first);
  accepted.set_frame_count(count);
  accepted.set_epoch(epoch);
  return accepted;
}

v1::FrameDropped DroppedFrame(std::uint64_t index, std::uint64_t chunk_seq) {
  v1::FrameDropped dropped;
  dropped.set_frame_index(index);
  dropped.set_chunk_seq(chunk_seq);
  return dropped;
}

TEST(ChunkLedger, KnowsTheFramesOfChunksThatWaitBehindOthers) {
  ChunkLedger ledger(SmallOpened());
  ledger.Sent(2);
  ledger.Sent(1);
  EXPECT_NO_THROW(ledger.Accepted(Accepted(0, 0, 5, 0)));
  for (std::uint64_t i = 0; i < 3; ++i) ledger.Arrived(FrameOf(i, 0, false));
  EXPECT_NO_THROW(ledger.Accepted(Accepted(1, 5, 4, 0)));
  EXPECT_THROW(ledger.Accepted(Accepted(1, 6, 4, 0)), DecodeError);
  EXPECT_THROW(ledger.Accepted(Accepted(1, 5, 1, 0)), DecodeError);
  EXPECT_THROW(ledger.Accepted(Accepted(1, 5, 4, 1)), DecodeError);
  EXPECT_THROW(ledger.Accepted(Accepted(2, 9, 4, 0)), DecodeError);
}

TEST(ChunkLedger, ExpectsTheFirstLatentsFramesAndTheNextEpochAfterAReset) {
  ChunkLedger ledger(SmallOpened());
  ledger.Sent(2);
  EXPECT_FALSE(ledger.next_is_first());
  EXPECT_TRUE(ledger.Reset());
  EXPECT_FALSE(ledger.Reset()) << "one reset before a chunk is all that there is";
  EXPECT_TRUE(ledger.next_is_first());
  ledger.Sent(1);
  ledger.Accepted(Accepted(1, 5, 1, 1));
  Arrive(ledger, 0, 5, 0);
  ledger.Done(Done(0, 0, 5));
  Frame frame = FrameOf(5, 1, true);
  EXPECT_THROW(ledger.Arrived(frame), DecodeError) << "of the epoch before";
  frame.epoch = 1;
  ledger.Arrived(frame);
  ledger.Done(Done(1, 5, 1));
  EXPECT_NO_THROW(ledger.Closed(Totals(2, 6)));
}

TEST(ChunkLedger, KeepsTheResetOfARefusedChunkForTheOneThatTakesItsNumber) {
  ChunkLedger ledger(SmallOpened());
  ledger.Sent(1);
  ledger.Reset();
  ledger.Sent(1);
  ledger.Refused(Error(1));
  ledger.Sent(2);
  EXPECT_NO_THROW(ledger.Accepted(Accepted(1, 1, 5, 1)));
}

TEST(ChunkLedger, CountsDroppedFramesWithTheirChunk) {
  ChunkLedger ledger(SmallOpened());
  ledger.Sent(2);
  ledger.Dropped(DroppedFrame(0, 0));
  Arrive(ledger, 1, 4, 0);
  EXPECT_THROW(ledger.Dropped(DroppedFrame(5, 0)), DecodeError) << "the chunk has 5 frames";
  EXPECT_THROW(ledger.Dropped(DroppedFrame(5, 1)), DecodeError) << "no such chunk";
}

TEST(ChunkLedger, WantsTheDroppedFramesOfTheSummaryAnnounced) {
  ChunkLedger ledger(SmallOpened());
  ledger.Sent(1);
  ledger.Dropped(DroppedFrame(0, 0));
  ledger.Done(Done(0, 0, 1));
  v1::Summary summary = Totals(1, 1);
  EXPECT_THROW(ledger.Closed(summary), DecodeError);
  summary.set_frames_dropped(1);
  EXPECT_NO_THROW(ledger.Closed(summary));
}

TEST(ChunkLedger, RefusesASummaryThatDoesNotAddUp) {
  ChunkLedger ledger(SmallOpened());
  ledger.Sent(1);
  EXPECT_THROW(ledger.Closed(Totals(0, 0)), DecodeError);
  Arrive(ledger, 0, 1, 0);
  ledger.Done(Done(0, 0, 1));
  EXPECT_THROW(ledger.Closed(Totals(1, 2)), DecodeError);
  EXPECT_THROW(ledger.Closed(Totals(2, 1)), DecodeError);
  EXPECT_NO_THROW(ledger.Closed(Totals(1, 1)));
}

}  // namespace
}  // namespace causeway::client
