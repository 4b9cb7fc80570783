// SPDX-License-Identifier: Apache-2.0
// The ways a session ends, and that each of them gives back what it held.
#include <optional>
#include <thread>

#include <gtest/gtest.h>

#include "server/session/session.h"
#include "tests/support/session_fixture.h"

namespace causeway {
namespace {

using testing::Client;
using testing::ValidOpen;
using Outcome = EndOutput::Outcome;

class SessionEnd : public testing::SessionFixture {};

TEST_F(SessionEnd, EndFinishesWhatWasAcceptedThenSummarises) {
  for (const StreamEvent event : {StreamEvent::kEnd, StreamEvent::kHalfClose}) {
    worker_.gate.Close();
    const Client client = OpenClient();
    client.session->OnChunk(Chunk(0, 0, 2));
    client.session->OnEvent(event);
    EXPECT_TRUE(client.sink->All<SummaryOutput>().empty());
    worker_.gate.Open();
    EXPECT_EQ(client.WaitForEnd().outcome, Outcome::kOk);
    EXPECT_EQ(client.sink->Frames().size(), 5u);
    EXPECT_EQ(client.sink->All<SummaryOutput>().size(), 1u);
  }
  ExpectAllReleased();
}

TEST_F(SessionEnd, EndOfAnIdleSessionIsAnsweredAtOnce) {
  const Client client = OpenClient();
  client.session->OnEvent(StreamEvent::kEnd);
  EXPECT_EQ(client.WaitForEnd().outcome, Outcome::kOk);
  EXPECT_EQ(client.sink->All<SummaryOutput>().front().chunks, 0u);
  ExpectAllReleased();
}

TEST_F(SessionEnd, HalfCloseAfterEndChangesNothing) {
  const Client client = OpenClient();
  client.session->OnEvent(StreamEvent::kEnd);
  client.session->OnEvent(StreamEvent::kHalfClose);
  EXPECT_EQ(client.WaitForEnd().outcome, Outcome::kOk);
  EXPECT_EQ(client.sink->All<EndOutput>().size(), 1u);
}

TEST_F(SessionEnd, RefusesAChunkAfterEnd) {
  worker_.gate.Close();
  const Client client = OpenClient();
  client.session->OnChunk(Chunk(0, 0));
  client.session->OnEvent(StreamEvent::kEnd);
  client.session->OnChunk(Chunk(1, 1));
  EXPECT_EQ(client.WaitForEnd().failure.reason, Reason::kChunkAfterEnd);
  worker_.gate.Open();
  ExpectAllReleased();
}

TEST_F(SessionEnd, CancelBeforeOpen) {
  const Client client = NewClient();
  client.session->OnEvent(StreamEvent::kCancel);
  EXPECT_EQ(client.WaitForEnd().outcome, Outcome::kCancelled);
  ExpectAllReleased();
}

TEST_F(SessionEnd, CancelOfAnIdleSessionGivesBackAtOnce) {
  const Client client = OpenClient();
  client.session->OnChunk(Chunk(0, 0));
  ASSERT_TRUE(client.sink->WaitFor<ChunkDoneOutput>());
  client.session->OnEvent(StreamEvent::kCancel);
  EXPECT_EQ(client.WaitForEnd().outcome, Outcome::kCancelled);
  ExpectAllReleased();
}

TEST_F(SessionEnd, CancelStopsAfterTheRunningLatentAndGivesBackThen) {
  worker_.gate.Close();
  const Client client = OpenClient();
  client.session->OnChunk(Chunk(0, 0, 8));
  ASSERT_TRUE(worker_.gate.WaitForArrivals(1));
  client.session->OnEvent(StreamEvent::kCancel);
  EXPECT_EQ(client.WaitForEnd().outcome, Outcome::kCancelled);
  EXPECT_EQ(ledger_.sessions(), 1);  // the cache is in use until the latent is done
  worker_.gate.Open();
  ExpectAllReleased();
  EXPECT_EQ(worker_.gate.arrivals(), 1);
  EXPECT_TRUE(client.sink->Frames().empty());
}

TEST_F(SessionEnd, CancelOfAPausedSessionDropsItsFrames) {
  const Client client = OpenClient();
  client.sink->Hold();
  client.session->OnChunk(Chunk(0, 0, 8));
  ASSERT_TRUE(worker_.gate.WaitForArrivals(2));
  client.session->OnEvent(StreamEvent::kCancel);
  client.sink->LetGo();
  EXPECT_EQ(client.WaitForEnd().outcome, Outcome::kCancelled);
  EXPECT_TRUE(client.sink->Frames().empty());
  ExpectAllReleased();
}

TEST_F(SessionEnd, CancelWhileFinishing) {
  worker_.gate.Close();
  const Client client = OpenClient();
  client.session->OnChunk(Chunk(0, 0, 8));
  client.session->OnEvent(StreamEvent::kEnd);
  client.session->OnEvent(StreamEvent::kCancel);
  EXPECT_EQ(client.WaitForEnd().outcome, Outcome::kCancelled);
  worker_.gate.Open();
  ExpectAllReleased();
}

TEST_F(SessionEnd, CancelAfterTheLastOutputIsTooLate) {
  const Client client = OpenClient();
  client.session->OnEvent(StreamEvent::kEnd);
  EXPECT_EQ(client.WaitForEnd().outcome, Outcome::kOk);
  client.session->OnEvent(StreamEvent::kCancel);
  EXPECT_EQ(client.sink->All<EndOutput>().size(), 1u);
  ExpectAllReleased();
}

TEST_F(SessionEnd, CancelWhileAFailureWaitsToBeRead) {
  const Client client = OpenClient();
  client.sink->Hold();
  client.session->OnChunk(Chunk(7, 0));
  EXPECT_EQ(ledger_.sessions(), 1);
  client.session->OnEvent(StreamEvent::kCancel);
  client.sink->LetGo();
  EXPECT_EQ(client.WaitForEnd().outcome, Outcome::kCancelled);
  ExpectAllReleased();
}

TEST_F(SessionEnd, EventsAfterTheEndHaveNoEffect) {
  const Client client = OpenClient();
  client.session->OnEvent(StreamEvent::kEnd);
  ASSERT_EQ(client.WaitForEnd().outcome, Outcome::kOk);
  const std::size_t outputs = client.sink->outputs().size();
  client.session->OnOpen(ValidOpen());
  client.session->OnChunk(Chunk(0, 0));
  client.session->OnEvent(StreamEvent::kEnd);
  client.session->OnEvent(StreamEvent::kDrain);
  client.session->OnEvent(StreamEvent::kUnknownMessage);
  EXPECT_EQ(client.sink->outputs().size(), outputs);
  ExpectAllReleased();
}

TEST_F(SessionEnd, DrainBeforeOpenRefuses) {
  const Client client = NewClient();
  client.session->OnEvent(StreamEvent::kDrain);
  EXPECT_EQ(client.WaitForEnd().failure.reason, Reason::kDraining);
  ExpectAllReleased();
}

TEST_F(SessionEnd, DrainDeliversWhatWasAcceptedAndNothingMore) {
  worker_.gate.Close();
  const Client client = OpenClient();
  client.session->OnChunk(Chunk(0, 0, 2));
  client.session->OnEvent(StreamEvent::kDrain);
  client.session->OnChunk(Chunk(1, 2));
  worker_.gate.Open();
  EXPECT_EQ(client.WaitForEnd().failure.reason, Reason::kDraining);
  EXPECT_EQ(client.sink->Frames().size(), 5u);
  EXPECT_EQ(client.sink->All<ChunkDoneOutput>().size(), 1u);
  ExpectAllReleased();
}

TEST_F(SessionEnd, DrainLetsASessionThatIsFinishingEndWell) {
  worker_.gate.Close();
  const Client client = OpenClient();
  client.session->OnChunk(Chunk(0, 0, 2));
  client.session->OnEvent(StreamEvent::kEnd);
  client.session->OnEvent(StreamEvent::kDrain);
  worker_.gate.Open();
  EXPECT_EQ(client.WaitForEnd().outcome, Outcome::kOk);
  ExpectAllReleased();
}

TEST_F(SessionEnd, ASinkThatIsGoneDoesNotStopTheRelease) {
  worker_.gate.Close();
  std::optional<Client> client = OpenClient();
  client->session->OnChunk(Chunk(0, 0, 2));
  ASSERT_TRUE(worker_.gate.WaitForArrivals(1));
  client->session->OnEvent(StreamEvent::kCancel);
  client->sink->Attach(nullptr);
  client.reset();
  worker_.gate.Open();
  ExpectAllReleased();
}

}  // namespace
}  // namespace causeway
