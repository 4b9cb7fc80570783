// SPDX-License-Identifier: Apache-2.0
// Frame credits, dropped frames, and input credits.
#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "server/session/open_check.h"
#include "server/session/session.h"
#include "tests/support/session_fixture.h"

namespace causeway {
namespace {

using testing::Client;
using testing::ValidOpen;
using Outcome = EndOutput::Outcome;

class SessionCredit : public testing::SessionFixture {
 protected:
  Client Open(DeliveryMode mode, int credits) {
    const Client client = NewClient();
    OpenRequest request = ValidOpen();
    request.delivery = {mode, credits};
    client.session->OnOpen(request);
    return client;
  }
};

TEST_F(SessionCredit, ZeroCreditPausesOnlyTheSessionThatHasNone) {
  const Client paused = Open(DeliveryMode::kBlock, 1);
  paused.session->OnChunk(Chunk(0, 0, 12));
  ASSERT_TRUE(paused.sink->WaitFor<FragmentOutput>(1));
  const Client other = OpenClient();
  other.session->OnChunk(Chunk(0, 0, 12));
  other.session->OnEvent(StreamEvent::kEnd);
  EXPECT_EQ(other.WaitForEnd().outcome, Outcome::kOk);
  EXPECT_EQ(paused.sink->Frames().size(), 1u);
  EXPECT_EQ(worker_.gate.arrivals(), 1 + 12);
  paused.session->OnEvent(StreamEvent::kCancel);
}

TEST_F(SessionCredit, EachCreditLetsOneFrameGoWhateverALatentGives) {
  const Client client = Open(DeliveryMode::kBlock, 1);
  client.session->OnChunk(Chunk(0, 0, 3));
  client.session->OnEvent(StreamEvent::kEnd);
  for (std::size_t frames = 1; frames < 9; ++frames) {
    ASSERT_TRUE(client.sink->WaitFor<FragmentOutput>(frames));
    EXPECT_EQ(client.sink->Frames().size(), frames);
    client.session->OnCredit(1);
  }
  EXPECT_EQ(client.WaitForEnd().outcome, Outcome::kOk);
  EXPECT_EQ(client.sink->Frames().size(), 9u);
  ExpectAllReleased();
}

TEST_F(SessionCredit, CreditsSaturate) {
  const Client client = Open(DeliveryMode::kBlock, 16);
  EXPECT_EQ(client.sink->All<OpenedOutput>().front().frame_credits, 16);
  EXPECT_EQ(client.sink->All<OpenedOutput>().front().limits.max_frame_credits, kMaxFrameCredits);
  for (int round = 0; round < 3; ++round) client.session->OnCredit(2'000'000'000);
  client.session->OnChunk(Chunk(0, 0, 12));
  client.session->OnChunk(Chunk(1, 0, 12));
  ASSERT_TRUE(client.sink->WaitFor<FragmentOutput>(64));
  scheduler_.Stop();
  EXPECT_EQ(client.sink->Frames().size(), 64u);
  client.session->OnEvent(StreamEvent::kCancel);
}

TEST_F(SessionCredit, RefusesANegativeCredit) {
  const Client client = Open(DeliveryMode::kBlock, 1);
  client.session->OnCredit(-1);
  EXPECT_EQ(client.WaitForEnd().failure.reason, Reason::kBadOption);
  EXPECT_EQ(client.WaitForEnd().failure.field, "credit.frames");
  ExpectAllReleased();
}

TEST_F(SessionCredit, AClientThatHalfClosesNeedsNoCredits) {
  const Client client = Open(DeliveryMode::kBlock, 1);
  client.session->OnChunk(Chunk(0, 0, 12));
  client.session->OnEvent(StreamEvent::kEnd);
  client.session->OnEvent(StreamEvent::kHalfClose);
  EXPECT_EQ(client.WaitForEnd().outcome, Outcome::kOk);
  EXPECT_EQ(client.sink->Frames(), frames_);
}

TEST_F(SessionCredit, AFailureDropsTheFramesForWhichThereIsNoCredit) {
  worker_.gate.Close();
  const Client client = Open(DeliveryMode::kBlock, 2);
  client.session->OnChunk(Chunk(0, 0, 2));
  client.session->OnChunk(Chunk(1, 2, 1));
  worker_.gate.Permit(2);
  ASSERT_TRUE(client.sink->WaitFor<FragmentOutput>(2));
  client.session->OnCredit(-1);
  EXPECT_EQ(client.WaitForEnd().failure.reason, Reason::kBadOption);
  EXPECT_EQ(client.sink->Frames().size(), 2u);
  ExpectAllReleased();
}

TEST_F(SessionCredit, DropOldestDecodesOnAndAnnouncesEveryFrameThatWillNotCome) {
  const Client client = Open(DeliveryMode::kDropOldest, 1);
  client.session->OnChunk(Chunk(0, 0, 12));
  ASSERT_TRUE(worker_.gate.WaitForArrivals(12));
  scheduler_.Stop();  // returns when the last latent is delivered
  client.session->OnEvent(StreamEvent::kEnd);
  client.session->OnCredit(64);
  EXPECT_EQ(client.WaitForEnd().outcome, Outcome::kOk);
  std::uint64_t next = 0;
  std::vector<std::vector<std::byte>> sent;
  for (const Output& output : client.sink->outputs()) {
    if (const auto* frame = std::get_if<FragmentOutput>(&output)) {
      EXPECT_EQ(frame->frame_index, next++);
      EXPECT_TRUE(std::ranges::equal(frame->payload, frames_[frame->frame_index]));
    } else if (const auto* dropped = std::get_if<FrameDroppedOutput>(&output)) {
      EXPECT_EQ(dropped->frame_index, next++);
    }
  }
  EXPECT_EQ(next, frames_.size());
  const SummaryOutput summary = client.sink->All<SummaryOutput>().front();
  EXPECT_EQ(summary.frames_dropped, client.sink->All<FrameDroppedOutput>().size());
  EXPECT_EQ(summary.frames_dropped, frames_.size() - 1 - 8);
  EXPECT_EQ(summary.frames, frames_.size());
}

TEST_F(SessionCredit, InputCreditComesBackAsChunksAreAnswered) {
  const Client client = OpenClient();
  const OpenedOutput opened = client.sink->All<OpenedOutput>().front();
  EXPECT_EQ(opened.limits.max_pending_bytes, std::int64_t{4} * 8 * 1024 * 1024);
  client.session->OnChunk(Chunk(0, 0, 2));
  ASSERT_TRUE(client.sink->WaitFor<InputCreditOutput>());
  EXPECT_EQ(client.sink->All<InputCreditOutput>().front().chunks, 1);
  EXPECT_EQ(client.sink->All<InputCreditOutput>().front().bytes, 2 * 1024);
  client.session->OnChunk({.seq = 1, .latents = 0, .payload = "abc"});
  ASSERT_TRUE(client.sink->WaitFor<InputCreditOutput>(2));
  EXPECT_EQ(client.sink->All<InputCreditOutput>().back().bytes, 3);
}

TEST_F(SessionCredit, MoreBytesThanCreditsEndTheStream) {
  worker_.gate.Close();
  SessionOptions options;
  options.max_message_bytes = 1024 + kChunkHeaderBytes;
  options.max_pending_chunks = 1;
  const Client client = OpenClient(options);
  client.session->OnChunk({.seq = 0, .latents = 1, .payload = std::string(5000, 'x')});
  EXPECT_EQ(client.WaitForEnd().failure.reason, Reason::kInputOverrun);
  EXPECT_EQ(client.WaitForEnd().failure.field, "input_credits.bytes");
  worker_.gate.Open();
  ExpectAllReleased();
}

}  // namespace
}  // namespace causeway
