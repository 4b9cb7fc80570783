// SPDX-License-Identifier: Apache-2.0
// What happens by the clock: timeouts, notices, lateness, and whose latent is next.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "server/session/session.h"
#include "tests/support/session_fixture.h"

namespace causeway {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::Client;
using testing::ValidOpen;
using Outcome = EndOutput::Outcome;

/// Everything on one thread: units run when told, time passes when told.
class SessionTime : public ::testing::Test {
 protected:
  Client NewClient() {
    SessionOptions options;
    options.idle_timeout = seconds(30);
    options.drain_grace = seconds(9);
    options.now = [this] { return now_; };
    auto sink = std::make_shared<testing::RecordingSink>();
    auto session = std::make_shared<Session>(options, worker_, scheduler_, ledger_, sink);
    sink->Attach(session);
    return {sink, session};
  }
  Client OpenClient(OpenRequest request = ValidOpen()) {
    Client client = NewClient();
    client.session->OnOpen(std::move(request));
    return client;
  }
  ChunkRequest Chunk(std::uint64_t seq, int first, int count = 1) const {
    return testing::ChunkOf(ValidOpen().spec, seq, latents_, first, count);
  }
  void TearDown() override {
    while (scheduler_.RunOne()) {
    }
  }

  const std::vector<float> latents_ = testing::RandomLatents(ValidOpen().spec, 12, 1);
  Clock::time_point now_{std::chrono::hours(5)};
  testing::FakeDecodeWorker worker_;
  CapacityLedger ledger_{4, 4000};
  Scheduler scheduler_{Scheduler::Mode::kByHand};
};

TEST_F(SessionTime, WarnsAnIdleClientOnceAndThenEndsItsStream) {
  const Client client = OpenClient();
  now_ += milliseconds(24'999);
  client.session->OnTick();
  EXPECT_TRUE(client.sink->All<NoticeOutput>().empty());
  now_ += milliseconds(2);
  client.session->OnTick();
  client.session->OnTick();
  ASSERT_EQ(client.sink->All<NoticeOutput>().size(), 1u);
  EXPECT_EQ(client.sink->All<NoticeOutput>().front().kind, NoticeOutput::Kind::kIdleWarning);
  EXPECT_EQ(client.sink->All<NoticeOutput>().front().deadline, milliseconds(4'999));
  now_ += seconds(5);
  client.session->OnTick();
  EXPECT_EQ(client.WaitForEnd().failure.reason, Reason::kIdleTimeout);
  EXPECT_EQ(ledger_.sessions(), 0);
}

TEST_F(SessionTime, AnyMessageKeepsAStreamAlive) {
  const Client client = OpenClient();
  for (int round = 0; round < 10; ++round) {
    now_ += seconds(29);
    client.session->OnTick();
    client.session->OnPing({"", 0});
  }
  EXPECT_EQ(client.sink->All<NoticeOutput>().size(), 10u);
  EXPECT_TRUE(client.sink->All<EndOutput>().empty());
}

TEST_F(SessionTime, AStreamThatNeverOpensEndsWithoutAWordBefore) {
  const Client client = NewClient();
  now_ += seconds(28);
  client.session->OnTick();
  EXPECT_TRUE(client.sink->outputs().empty());
  now_ += seconds(2);
  client.session->OnTick();
  EXPECT_EQ(client.WaitForEnd().failure.reason, Reason::kIdleTimeout);
}

TEST_F(SessionTime, ASessionWithWorkIsNotIdle) {
  const Client client = OpenClient();
  client.session->OnChunk(Chunk(0, 0));
  now_ += std::chrono::hours(1);
  client.session->OnTick();
  EXPECT_TRUE(client.sink->All<EndOutput>().empty());
}

TEST_F(SessionTime, AClientThatGrantsNoCreditFor30SecondsLosesItsSession) {
  OpenRequest request = ValidOpen();
  request.delivery = {DeliveryMode::kBlock, 1};
  const Client client = OpenClient(request);
  client.session->OnChunk(Chunk(0, 0, 3));
  while (scheduler_.RunOne()) {
  }
  now_ += seconds(20);
  client.session->OnCredit(1);
  while (scheduler_.RunOne()) {
  }
  now_ += seconds(29);
  client.session->OnTick();
  EXPECT_TRUE(client.sink->All<EndOutput>().empty());
  now_ += seconds(1);
  client.session->OnTick();
  EXPECT_EQ(client.WaitForEnd().failure.reason, Reason::kSlowConsumer);
  EXPECT_EQ(client.sink->Frames().size(), 2u);
  EXPECT_EQ(ledger_.sessions(), 0);
  EXPECT_EQ(worker_.open_streams, 0);
}

TEST_F(SessionTime, AClientWithNothingToComeIsNoSlowConsumer) {
  OpenRequest request = ValidOpen();
  request.delivery = {DeliveryMode::kBlock, 1};
  const Client client = OpenClient(request);
  client.session->OnChunk(Chunk(0, 0));
  while (scheduler_.RunOne()) {
  }
  now_ += seconds(29);
  client.session->OnPing({"", 0});
  now_ += seconds(29);
  client.session->OnTick();
  EXPECT_TRUE(client.sink->All<EndOutput>().empty());
}

TEST_F(SessionTime, TellsHowLongAChunkWaitedForCreditAndInAll) {
  OpenRequest request = ValidOpen();
  request.delivery = {DeliveryMode::kBlock, 1};
  const Client client = OpenClient(request);
  client.session->OnChunk(Chunk(0, 0, 2));
  scheduler_.RunOne();
  now_ += milliseconds(40);
  client.session->OnCredit(8);
  now_ += milliseconds(2);
  scheduler_.RunOne();
  const ChunkDoneOutput done = client.sink->All<ChunkDoneOutput>().front();
  EXPECT_EQ(done.timing.credit_wait, milliseconds(40));
  EXPECT_EQ(done.timing.total, milliseconds(42));
}

TEST_F(SessionTime, DrainTellsTheClientWhereToGoOn) {
  const Client client = OpenClient();
  client.session->OnChunk(Chunk(0, 0, 2));
  client.session->OnEvent(StreamEvent::kDrain);
  const NoticeOutput notice = client.sink->All<NoticeOutput>().front();
  EXPECT_EQ(notice.kind, NoticeOutput::Kind::kGoAway);
  EXPECT_EQ(notice.deadline, seconds(9));
  EXPECT_EQ(notice.replay_latents, testing::FakeDecodeWorker::kReplayLatents);
  while (scheduler_.RunOne()) {
  }
  EXPECT_EQ(client.WaitForEnd().failure.reason, Reason::kDraining);
  EXPECT_EQ(client.sink->Frames().size(), 5u);
}

TEST_F(SessionTime, MarksFramesThatLeaveTooLate) {
  OpenRequest request = ValidOpen();
  request.timing = {
      .timebase_num = 1, .timebase_den = 1000, .target_fps = 10, .max_lateness_ms = 5};
  const Client client = OpenClient(request);
  ChunkRequest chunk = Chunk(0, 0, 2);
  chunk.pts = 7000;
  client.session->OnChunk(chunk);
  scheduler_.RunOne();
  now_ += milliseconds(250);  // frames 1 and 2 were due after 100 and 200 ms
  scheduler_.RunOne();
  client.session->OnEvent(StreamEvent::kEnd);
  const std::vector<FragmentOutput> frames = client.sink->All<FragmentOutput>();
  ASSERT_EQ(frames.size(), 5u);
  for (std::size_t index = 0; index < frames.size(); ++index) {
    EXPECT_EQ(frames[index].is_late, index == 1 || index == 2) << index;
    EXPECT_EQ(frames[index].pts, 7000 + 100 * static_cast<std::int64_t>(index));
  }
  EXPECT_EQ(client.sink->All<SummaryOutput>().front().frames_late, 2u);
}

TEST_F(SessionTime, ASessionWhoseFramesAreNotNeededYetLetsOthersGoFirst) {
  OpenRequest paced = ValidOpen();
  paced.timing.target_fps = 1;
  const Client ahead = OpenClient(paced);
  ahead.session->OnChunk(Chunk(0, 0, 12));
  scheduler_.RunOne();  // its first frame starts its clock: the next is due in a second
  const Client hungry = OpenClient();
  hungry.session->OnChunk(Chunk(0, 0, 12));
  for (int unit = 0; unit < 12; ++unit) scheduler_.RunOne();
  // The one latent of the paced session that was queued at its start may be among them.
  EXPECT_GE(hungry.session->report().totals.latents, 11u);
}

TEST_F(SessionTime, ChunkDeadlinesAndClassesOrderTheWork) {
  const Client batch = [&] {
    OpenRequest request = ValidOpen();
    request.priority = Priority::kBatch;
    return OpenClient(request);
  }();
  const Client standard = OpenClient();
  const Client urgent = OpenClient();
  batch.session->OnChunk(Chunk(0, 0, 2));
  ChunkRequest later = Chunk(0, 0, 2);
  later.deadline_us = 500'000;
  standard.session->OnChunk(later);
  urgent.session->OnChunk(Chunk(0, 0, 2));
  std::string order;
  for (int unit = 0; unit < 6; ++unit) {
    const auto decoded = [](const Client& client) {
      return client.session->report().totals.latents;
    };
    const auto before = std::vector{decoded(batch), decoded(standard), decoded(urgent)};
    scheduler_.RunOne();
    order += decoded(batch) > before[0] ? 'b' : decoded(standard) > before[1] ? 's' : 'u';
  }
  EXPECT_EQ(order, "uussbb");
}

}  // namespace
}  // namespace causeway
