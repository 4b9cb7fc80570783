// SPDX-License-Identifier: Apache-2.0
// Sessions on a fake decoder, a real scheduler and recording transports.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "server/session/session.h"
#include "tests/support/fake_decode_worker.h"
#include "tests/support/recording_sink.h"
#include "tests/support/stream_data.h"

namespace causeway::testing {

/// A session and the transport that reads it.
struct Client {
  std::shared_ptr<RecordingSink> sink;
  std::shared_ptr<Session> session;

  /// How the stream ended; a test failure where it does not end within the deadline.
  EndOutput WaitForEnd() const {
    if (!sink->WaitFor<EndOutput>()) {
      ADD_FAILURE() << "the stream does not end";
      return {EndOutput::Outcome::kCancelled, {}};
    }
    return sink->All<EndOutput>().front();
  }
};

class SessionFixture : public ::testing::Test {
 protected:
  Client NewClient(SessionOptions options = {}) {
    auto sink = std::make_shared<RecordingSink>();
    auto session =
        std::make_shared<Session>(std::move(options), worker_, scheduler_, ledger_, sink);
    sink->Attach(session);
    return {sink, session};
  }

  /// A client whose session is admitted.
  Client OpenClient(SessionOptions options = {}) {
    Client client = NewClient(std::move(options));
    client.session->OnOpen(ValidOpen());
    EXPECT_EQ(client.sink->All<OpenedOutput>().size(), 1u);
    return client;
  }

  ChunkRequest Chunk(std::uint64_t seq, int first, int count = 1) const {
    return ChunkOf(ValidOpen().spec, seq, latents_, first, count);
  }

  /// Nothing is reserved and no cache is held once the scheduler is idle.
  void ExpectAllReleased() {
    scheduler_.Stop();
    EXPECT_EQ(ledger_.sessions(), 0);
    EXPECT_EQ(ledger_.bytes(), 0);
    EXPECT_EQ(worker_.open_streams, 0);
  }

  void TearDown() override { worker_.gate.Open(); }

  const std::vector<float> latents_ = RandomLatents(ValidOpen().spec, 12, 1);
  const std::vector<std::vector<std::byte>> frames_ = ExpectedFrames(ValidOpen().spec, latents_);
  FakeDecodeWorker worker_;
  CapacityLedger ledger_{4, 4000};
  Scheduler scheduler_;
};

}  // namespace causeway::testing
