// SPDX-License-Identifier: Apache-2.0
// The middle of a session: chunks in, frames and ChunkDone out, refused chunks.
#include <cmath>
#include <limits>
#include <variant>

#include <gtest/gtest.h>

#include "server/session/session.h"
#include "tests/support/session_fixture.h"

namespace causeway {
namespace {

using testing::Client;
using testing::ValidOpen;
using Outcome = EndOutput::Outcome;

class SessionChunk : public testing::SessionFixture {
 protected:
  /// The refusal of a chunk that is sent first; the same chunk, corrected, must then be accepted.
  Failure RefusalOfFirst(ChunkRequest chunk) {
    const Client client = OpenClient();
    client.session->OnChunk(std::move(chunk));
    const std::vector<ChunkErrorOutput> errors = client.sink->All<ChunkErrorOutput>();
    EXPECT_EQ(errors.size(), 1u);
    client.session->OnChunk(Chunk(0, 0, 2));
    client.session->OnEvent(StreamEvent::kEnd);
    EXPECT_EQ(client.WaitForEnd().outcome, Outcome::kOk);
    EXPECT_EQ(client.sink->Frames(), FirstFrames(5));
    EXPECT_EQ(client.sink->All<SummaryOutput>().front().chunk_errors, 1u);
    return errors.empty() ? Failure{} : errors.front().failure;
  }
  std::vector<std::vector<std::byte>> FirstFrames(int count) const {
    return {frames_.begin(), frames_.begin() + count};
  }
  Failure StreamFailure(const Client& client) {
    const EndOutput end = client.WaitForEnd();
    EXPECT_EQ(end.outcome, Outcome::kFailed);
    return end.failure;
  }
};

TEST_F(SessionChunk, GivesTheSameFramesHoweverLatentsAreSplitIntoChunks) {
  for (const std::vector<int>& split : {std::vector{12}, {1, 11}, {3, 4, 5}, {1, 1, 1, 1, 8}}) {
    const Client client = OpenClient({.max_pending_chunks = 5});
    int first = 0;
    std::uint64_t seq = 0;
    for (const int count : split) {
      client.session->OnChunk(Chunk(seq++, first, count));
      first += count;
    }
    client.session->OnEvent(StreamEvent::kEnd);
    EXPECT_EQ(client.WaitForEnd().outcome, Outcome::kOk);
    EXPECT_EQ(client.sink->Frames(), frames_);
  }
}

TEST_F(SessionChunk, NumbersFramesAndSaysWhichChunkTheyBelongTo) {
  const Client client = OpenClient();
  client.session->OnChunk(Chunk(0, 0, 1));
  client.session->OnChunk(Chunk(1, 1, 2));
  client.session->OnEvent(StreamEvent::kEnd);
  ASSERT_EQ(client.WaitForEnd().outcome, Outcome::kOk);
  const std::vector<FragmentOutput> frames = client.sink->All<FragmentOutput>();
  ASSERT_EQ(frames.size(), 9u);
  for (std::size_t index = 0; index < frames.size(); ++index) {
    EXPECT_EQ(frames[index].frame_index, index);
    EXPECT_EQ(frames[index].chunk_seq, index == 0 ? 0u : 1u);
    EXPECT_EQ(frames[index].is_last_of_chunk, index == 0 || index == 8);
  }
}

TEST_F(SessionChunk, ChunkDoneFollowsAllFramesOfItsChunk) {
  const Client client = OpenClient();
  client.session->OnChunk(Chunk(0, 0, 2));
  client.session->OnChunk(Chunk(1, 2, 1));
  client.session->OnEvent(StreamEvent::kEnd);
  ASSERT_EQ(client.WaitForEnd().outcome, Outcome::kOk);
  std::uint64_t frames = 0;
  std::vector<std::uint64_t> frames_before_done;
  for (const Output& output : client.sink->outputs()) {
    if (std::holds_alternative<FragmentOutput>(output)) ++frames;
    if (std::holds_alternative<ChunkDoneOutput>(output)) frames_before_done.push_back(frames);
  }
  EXPECT_EQ(frames_before_done, (std::vector<std::uint64_t>{5, 9}));
  const std::vector<ChunkDoneOutput> done = client.sink->All<ChunkDoneOutput>();
  EXPECT_EQ(done[0].first_frame_index, 0u);
  EXPECT_EQ(done[0].frame_count, 5);
  EXPECT_EQ(done[1].first_frame_index, 5u);
  EXPECT_EQ(done[1].frame_count, 4);
}

TEST_F(SessionChunk, AFrameLeavesAfterItsLatentNotAfterItsChunk) {
  worker_.gate.Close();
  worker_.gate.Permit(2);
  const Client client = OpenClient();
  client.session->OnChunk(Chunk(0, 0, 3));
  EXPECT_TRUE(client.sink->WaitFor<FragmentOutput>(5));
  EXPECT_EQ(client.sink->All<ChunkDoneOutput>().size(), 0u);
}

TEST_F(SessionChunk, SumsTheTimesOfAChunk) {
  const Client client = NewClient();
  OpenRequest request = ValidOpen();
  request.wants_kernel_timing = true;
  client.session->OnOpen(request);
  client.session->OnChunk(Chunk(0, 0, 3));
  ASSERT_TRUE(client.sink->WaitFor<ChunkDoneOutput>());
  const ChunkDoneOutput done = client.sink->All<ChunkDoneOutput>().front();
  EXPECT_EQ(done.timing.decode.count(), 300);
  EXPECT_GE(done.timing.pack.count(), 90);
  ASSERT_TRUE(done.kernel_times);
  EXPECT_EQ(done.kernel_times->duration(decoder::Category::kConvolutionOrGemm).count(), 210);
  EXPECT_EQ(done.kernel_times->launches(decoder::Category::kConvolutionOrGemm), 3);
}

TEST_F(SessionChunk, TellsKernelTimesOnlyWhereAsked) {
  const Client client = OpenClient();
  client.session->OnChunk(Chunk(0, 0));
  ASSERT_TRUE(client.sink->WaitFor<ChunkDoneOutput>());
  EXPECT_FALSE(client.sink->All<ChunkDoneOutput>().front().kernel_times);
}

TEST_F(SessionChunk, SummaryHoldsTheTotals) {
  const Client client = OpenClient();
  client.session->OnChunk(Chunk(0, 0, 2));
  client.session->OnChunk(Chunk(1, 2, 3));
  client.session->OnEvent(StreamEvent::kEnd);
  ASSERT_EQ(client.WaitForEnd().outcome, Outcome::kOk);
  const SummaryOutput summary = client.sink->All<SummaryOutput>().front();
  EXPECT_EQ(summary.chunks, 2u);
  EXPECT_EQ(summary.latents, 5u);
  EXPECT_EQ(summary.frames, 17u);
  EXPECT_EQ(summary.chunk_errors, 0u);
  EXPECT_EQ(summary.bytes_in, 5 * 1024);
  EXPECT_EQ(summary.bytes_out, 17 * 3 * 64 * 64);
  EXPECT_EQ(summary.decode.count(), 500);
}

// ---- chunks that are refused and leave the session as it was ------------------------------------

TEST_F(SessionChunk, RefusesAChunkOfNoLatents) {
  for (const int latents : {0, -1}) {
    const Failure failure = RefusalOfFirst({0, latents, ""});
    EXPECT_EQ(failure.reason, Reason::kBadOption);
    EXPECT_EQ(failure.field, "latent_chunk.latents");
  }
}

TEST_F(SessionChunk, RefusesMoreLatentsThanFitIntoAMessage) {
  const Failure failure = RefusalOfFirst({0, 1'000'000, "x"});
  EXPECT_EQ(failure.reason, Reason::kChunkTooLong);
  EXPECT_EQ(failure.field, "latent_chunk.latents");
  EXPECT_EQ(failure.got, "1000000");
}

TEST_F(SessionChunk, RefusesAPayloadOfAnotherSize) {
  for (const int change : {-1, 1}) {
    ChunkRequest chunk = Chunk(0, 0);
    chunk.payload.resize(chunk.payload.size() + static_cast<std::size_t>(change));
    const Failure failure = RefusalOfFirst(chunk);
    EXPECT_EQ(failure.reason, Reason::kPayloadSizeMismatch);
    EXPECT_EQ(failure.field, "latent_chunk.payload");
    EXPECT_EQ(failure.got, std::to_string(1024 + change) + " bytes");
  }
}

TEST_F(SessionChunk, RefusesAChunkWithANonFiniteValueAnywhereBeforeDecodingAnyOfIt) {
  std::vector<float> poisoned(latents_.begin(), latents_.begin() + 512);
  poisoned.back() = std::numeric_limits<float>::quiet_NaN();
  const Failure failure = RefusalOfFirst(testing::ChunkOf(ValidOpen().spec, 0, poisoned, 0, 2));
  EXPECT_EQ(failure.reason, Reason::kNonFiniteLatent);
}

TEST_F(SessionChunk, ARefusedChunkDoesNotDisturbThoseQueuedBeforeIt) {
  worker_.gate.Close();
  const Client client = OpenClient();
  client.session->OnChunk(Chunk(0, 0, 2));
  client.session->OnChunk({1, 1, "too short"});
  EXPECT_EQ(client.sink->All<ChunkErrorOutput>().front().chunk_seq, 1u);
  client.session->OnChunk(Chunk(1, 2, 1));
  client.session->OnEvent(StreamEvent::kEnd);
  worker_.gate.Open();
  EXPECT_EQ(client.WaitForEnd().outcome, Outcome::kOk);
  EXPECT_EQ(client.sink->Frames(), FirstFrames(9));
}

// ---- chunks that end the stream -----------------------------------------------------------------

TEST_F(SessionChunk, FailsOnAGapAndSaysWhichNumberItExpected) {
  const Client client = OpenClient();
  client.session->OnChunk(Chunk(0, 0));
  client.session->OnChunk(Chunk(2, 1));
  const Failure failure = StreamFailure(client);
  EXPECT_EQ(failure.reason, Reason::kChunkSeqGap);
  EXPECT_EQ(failure.field, "latent_chunk.chunk_seq");
  EXPECT_EQ(failure.got, "2");
  EXPECT_EQ(failure.allowed, "1");
  ExpectAllReleased();
}

TEST_F(SessionChunk, FailsOnADuplicateOfAnAcceptedChunk) {
  const Client client = OpenClient();
  client.session->OnChunk(Chunk(0, 0));
  ASSERT_TRUE(client.sink->WaitFor<ChunkDoneOutput>());
  client.session->OnChunk(Chunk(0, 0));
  EXPECT_EQ(StreamFailure(client).reason, Reason::kChunkSeqGap);
  ExpectAllReleased();
}

TEST_F(SessionChunk, FailsWhereMoreChunksArePendingThanAllowed) {
  worker_.gate.Close();
  const Client client = OpenClient({.max_pending_chunks = 2});
  for (int index = 0; index < 3; ++index) client.session->OnChunk(Chunk(index, index));
  const Failure failure = StreamFailure(client);
  EXPECT_EQ(failure.reason, Reason::kInputOverrun);
  EXPECT_EQ(failure.field, "limits.max_pending_chunks");
  worker_.gate.Open();
  ExpectAllReleased();
}

TEST_F(SessionChunk, RefusedChunksWhoseAnswerNobodyReadsArePendingToo) {
  const Client client = OpenClient({.max_pending_chunks = 2});
  client.sink->Hold();
  for (int index = 0; index < 3; ++index) client.session->OnChunk({0, 0, ""});
  client.sink->LetGo();
  EXPECT_EQ(client.sink->All<ChunkErrorOutput>().size(), 2u);
  EXPECT_EQ(StreamFailure(client).reason, Reason::kInputOverrun);
}

TEST_F(SessionChunk, FailsOnAMessageThatItDoesNotKnow) {
  const Client client = OpenClient();
  client.session->OnEvent(StreamEvent::kUnknownMessage);
  EXPECT_EQ(StreamFailure(client).reason, Reason::kNotImplemented);
  ExpectAllReleased();
}

TEST_F(SessionChunk, DeliversWhatWasDecodedBeforeADecoderFault) {
  worker_.fail_at_latent = 2;
  const Client client = OpenClient();
  client.session->OnChunk(Chunk(0, 0, 4));
  const Failure failure = StreamFailure(client);
  EXPECT_EQ(failure.reason, Reason::kInternalBug);
  EXPECT_EQ(failure.message, "chunk 0: the fake was told to fail");
  EXPECT_EQ(client.sink->Frames(), FirstFrames(5));
  ExpectAllReleased();
}

}  // namespace
}  // namespace causeway
