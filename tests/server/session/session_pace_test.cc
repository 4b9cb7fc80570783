// SPDX-License-Identifier: Apache-2.0
// Several sessions beside each other, and readers that are slow.
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "server/session/session.h"
#include "tests/support/session_fixture.h"

namespace causeway {
namespace {

using testing::Client;
using testing::ExpectedFrames;
using testing::RandomLatents;
using testing::ValidOpen;
using Outcome = EndOutput::Outcome;

class SessionPace : public testing::SessionFixture {};

TEST_F(SessionPace, InterleavedSessionsGiveTheFramesOfSeparateOnes) {
  constexpr int kSessions = 4;
  std::vector<std::vector<float>> latents;
  std::vector<Client> clients;
  for (unsigned index = 0; index < kSessions; ++index) {
    latents.push_back(RandomLatents(ValidOpen().spec, 6, 100 + index));
    clients.push_back(OpenClient());
  }
  for (int seq = 0; seq < 3; ++seq) {
    for (int index = 0; index < kSessions; ++index) {
      clients[index].session->OnChunk(
          testing::ChunkOf(ValidOpen().spec, seq, latents[index], 2 * seq, 2));
    }
  }
  for (int index = 0; index < kSessions; ++index) {
    clients[index].session->OnEvent(StreamEvent::kEnd);
    EXPECT_EQ(clients[index].WaitForEnd().outcome, Outcome::kOk);
    EXPECT_EQ(clients[index].sink->Frames(), ExpectedFrames(ValidOpen().spec, latents[index]));
  }
  EXPECT_EQ(worker_.most_running, 1);
  ExpectAllReleased();
}

TEST_F(SessionPace, ALongChunkDoesNotKeepAnotherSessionWaiting) {
  worker_.gate.Close();
  const Client busy = OpenClient();
  busy.session->OnChunk(Chunk(0, 0, 12));
  ASSERT_TRUE(worker_.gate.WaitForArrivals(1));
  const Client late = OpenClient();
  late.session->OnChunk(Chunk(0, 0, 1));
  worker_.gate.Permit(2);
  EXPECT_TRUE(late.sink->WaitFor<ChunkDoneOutput>());
  EXPECT_EQ(busy.sink->Frames().size(), 1u);
}

TEST_F(SessionPace, AReaderThatTakesNothingPausesItsOwnSessionOnly) {
  const Client slow = OpenClient();
  slow.sink->Hold();
  slow.session->OnChunk(Chunk(0, 0, 12));
  // 1 + 4 frames wait after two latents; with a third there would be 9, and 8 are allowed.
  ASSERT_TRUE(worker_.gate.WaitForArrivals(2));
  const Client fast = OpenClient();
  fast.session->OnChunk(Chunk(0, 0, 12));
  fast.session->OnEvent(StreamEvent::kEnd);
  EXPECT_EQ(fast.WaitForEnd().outcome, Outcome::kOk);
  EXPECT_EQ(worker_.gate.arrivals(), 2 + 12);
  EXPECT_EQ(slow.session->report().totals.frames, 5u);
}

TEST_F(SessionPace, APausedSessionGoesOnWhenItsFramesAreTaken) {
  const Client slow = OpenClient();
  slow.sink->Hold();
  slow.session->OnChunk(Chunk(0, 0, 12));
  slow.session->OnEvent(StreamEvent::kEnd);
  ASSERT_TRUE(worker_.gate.WaitForArrivals(2));
  EXPECT_TRUE(slow.sink->TakeOne());  // ChunkAccepted
  EXPECT_TRUE(slow.sink->TakeOne());  // the only frame of the first latent
  ASSERT_TRUE(worker_.gate.WaitForArrivals(3));
  slow.sink->LetGo();
  EXPECT_EQ(slow.WaitForEnd().outcome, Outcome::kOk);
  EXPECT_EQ(slow.sink->Frames(), frames_);
}

TEST_F(SessionPace, TimesAChunkByTheClockItIsGiven) {
  std::atomic<std::int64_t> now_ms{0};
  SessionOptions options;
  options.now = [&] { return Clock::time_point(std::chrono::milliseconds(now_ms)); };
  worker_.gate.Close();
  const Client busy = OpenClient();
  busy.session->OnChunk(Chunk(0, 0));
  ASSERT_TRUE(worker_.gate.WaitForArrivals(1));
  const Client timed = OpenClient(options);
  timed.session->OnChunk(Chunk(0, 0));
  now_ms = 7;
  worker_.gate.Permit(1);
  ASSERT_TRUE(worker_.gate.WaitForArrivals(2));
  timed.sink->Hold();
  worker_.gate.Permit(1);
  busy.session->OnChunk(Chunk(1, 1));  // behind the timed one: shows that it is done
  ASSERT_TRUE(worker_.gate.WaitForArrivals(3));
  EXPECT_TRUE(timed.sink->TakeOne());
  now_ms = 12;
  EXPECT_TRUE(timed.sink->TakeOne());
  const ChunkDoneOutput done = timed.sink->All<ChunkDoneOutput>().front();
  EXPECT_EQ(done.timing.queue, std::chrono::milliseconds(7));
  EXPECT_EQ(done.timing.send, std::chrono::milliseconds(5));
}

TEST_F(SessionPace, ManyShortSessionsLeaveNothingBehind) {
  for (int round = 0; round < 200; ++round) {
    const Client client = OpenClient();
    client.session->OnChunk(Chunk(0, 0, 1 + round % 5));
    client.session->OnEvent(round % 2 == 0 ? StreamEvent::kEnd : StreamEvent::kCancel);
    EXPECT_EQ(client.WaitForEnd().outcome, round % 2 == 0 ? Outcome::kOk : Outcome::kCancelled);
  }
  ExpectAllReleased();
}

}  // namespace
}  // namespace causeway
