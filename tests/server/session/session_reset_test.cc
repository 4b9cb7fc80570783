// SPDX-License-Identifier: Apache-2.0
// Resets, fragments, checksums and pings.
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "server/base/crc32c.h"
#include "server/session/session.h"
#include "tests/support/session_fixture.h"

namespace causeway {
namespace {

using testing::Client;
using testing::ValidOpen;
using Outcome = EndOutput::Outcome;

class SessionReset : public testing::SessionFixture {};

TEST_F(SessionReset, AfterAResetTheStreamEqualsANewOne) {
  for (const bool by_message : {true, false}) {
    const Client client = OpenClient();
    client.session->OnChunk(Chunk(0, 3, 2));
    if (by_message) client.session->OnReset(1);
    ChunkRequest first = Chunk(1, 0, 5);
    first.resets_before = !by_message;
    client.session->OnChunk(first);
    client.session->OnChunk(Chunk(2, 5, 7));
    client.session->OnEvent(StreamEvent::kEnd);
    ASSERT_EQ(client.WaitForEnd().outcome, Outcome::kOk);
    std::vector<std::vector<std::byte>> frames = client.sink->Frames();
    ASSERT_EQ(frames.size(), 5 + frames_.size());
    frames.erase(frames.begin(), frames.begin() + 5);
    EXPECT_EQ(frames, frames_);
    const std::vector<FragmentOutput> fragments = client.sink->All<FragmentOutput>();
    for (std::size_t index = 0; index < fragments.size(); ++index) {
      EXPECT_EQ(fragments[index].frame_index, index);
      EXPECT_EQ(fragments[index].epoch, index < 5 ? 0u : 1u);
    }
    const std::vector<ChunkAcceptedOutput> accepted = client.sink->All<ChunkAcceptedOutput>();
    ASSERT_EQ(accepted.size(), 3u);
    EXPECT_EQ(accepted[1].epoch, 1u);
    EXPECT_EQ(accepted[1].first_frame_index, 5u);
    EXPECT_EQ(accepted[1].frame_count, 17);
    EXPECT_EQ(client.sink->All<SummaryOutput>().front().resets, 1u);
  }
  ExpectAllReleased();
}

TEST_F(SessionReset, RefusesAResetInThePast) {
  const Client client = OpenClient();
  client.session->OnChunk(Chunk(0, 0));
  client.session->OnReset(0);
  EXPECT_EQ(client.WaitForEnd().failure.reason, Reason::kBadReset);
  EXPECT_EQ(client.WaitForEnd().failure.field, "reset.at_chunk_seq");
  ExpectAllReleased();
}

TEST_F(SessionReset, AChunkInFragmentsGivesTheFramesOfAWholeOne) {
  const Client client = OpenClient();
  const ChunkRequest whole = Chunk(0, 0, 12);
  for (int index = 0; index < 3; ++index) {
    ChunkRequest part = whole;
    part.payload = whole.payload.substr(static_cast<std::size_t>(index) * 5000,
                                        index == 2 ? std::string::npos : 5000);
    part.fragment_index = index;
    part.fragment_count = 3;
    client.session->OnChunk(part);
  }
  client.session->OnEvent(StreamEvent::kEnd);
  EXPECT_EQ(client.WaitForEnd().outcome, Outcome::kOk);
  EXPECT_EQ(client.sink->Frames(), frames_);
}

TEST_F(SessionReset, EndInTheMiddleOfAChunkForgetsIt) {
  const Client client = OpenClient();
  ChunkRequest part = Chunk(0, 0, 2);
  part.payload.resize(1000);
  part.fragment_count = 2;
  client.session->OnChunk(part);
  client.session->OnEvent(StreamEvent::kEnd);
  EXPECT_EQ(client.WaitForEnd().outcome, Outcome::kOk);
  EXPECT_EQ(client.sink->All<SummaryOutput>().front().chunks, 0u);
  ExpectAllReleased();
}

TEST_F(SessionReset, ChecksumsAreComparedAndAskedForOnFrames) {
  const Client client = NewClient();
  OpenRequest request = ValidOpen();
  request.has_checksums = true;
  client.session->OnOpen(request);
  ChunkRequest chunk = Chunk(0, 0);
  chunk.crc32c = Crc32c(std::as_bytes(std::span(chunk.payload)));
  ChunkRequest flipped = chunk;
  flipped.payload[100] = static_cast<char>(flipped.payload[100] ^ 1);
  client.session->OnChunk(flipped);
  EXPECT_EQ(client.sink->All<ChunkErrorOutput>().front().failure.reason, Reason::kChecksumMismatch);
  client.session->OnChunk(chunk);
  ASSERT_TRUE(client.sink->WaitFor<FragmentOutput>());
  EXPECT_TRUE(client.sink->All<FragmentOutput>().front().has_checksum);
  flipped.seq = 1;
  client.session->OnChunk(flipped);
  client.session->OnChunk(flipped);
  EXPECT_EQ(client.WaitForEnd().failure.reason, Reason::kChecksumMismatch);
  ExpectAllReleased();
}

TEST_F(SessionReset, APingIsAnsweredBeforeFramesThatWait) {
  const Client client = NewClient();
  OpenRequest request = ValidOpen();
  request.delivery = {DeliveryMode::kBlock, 1};
  client.session->OnOpen(request);
  client.session->OnChunk(Chunk(0, 0, 3));
  ASSERT_TRUE(client.sink->WaitFor<FragmentOutput>());
  client.session->OnPing({"12345678", 9});
  ASSERT_TRUE(client.sink->WaitFor<PongOutput>());
  EXPECT_EQ(client.sink->All<PongOutput>().front().ping.client_time_ns, 9);
  EXPECT_EQ(client.sink->All<ChunkDoneOutput>().size(), 0u);
  client.session->OnPing({"123456789", 9});
  EXPECT_EQ(client.WaitForEnd().failure.field, "ping.payload");
}

TEST_F(SessionReset, PongsThatNobodyReadsAreBounded) {
  const Client client = OpenClient();
  client.sink->Hold();
  for (int count = 0; count < 1000; ++count) client.session->OnPing({"", count});
  client.sink->LetGo();
  EXPECT_EQ(client.sink->All<PongOutput>().size(),
            static_cast<std::size_t>(OutputQueue::kMostPongs));
}

}  // namespace
}  // namespace causeway
