// SPDX-License-Identifier: Apache-2.0
// The beginning of a session: order of messages, admission, what Opened says.
#include <gtest/gtest.h>

#include "server/session/open_check.h"
#include "server/session/session.h"
#include "tests/support/session_fixture.h"

namespace causeway {
namespace {

using testing::Client;
using testing::ValidOpen;
using Outcome = EndOutput::Outcome;

class SessionOpen : public testing::SessionFixture {
 protected:
  void ExpectFailure(const Client& client, Reason reason, const std::string& field) {
    const EndOutput end = client.WaitForEnd();
    EXPECT_EQ(end.outcome, Outcome::kFailed);
    EXPECT_EQ(end.failure.reason, reason);
    EXPECT_EQ(end.failure.field, field);
    ExpectAllReleased();
  }
};

TEST_F(SessionOpen, AnswersWithTheTermsOfTheSession) {
  SessionOptions options;
  options.session_id = "0123456789abcdef0123456789abcdef";
  options.max_message_bytes = 10 * 1024 + kChunkHeaderBytes;
  options.max_pending_chunks = 3;
  const Client client = OpenClient(options);
  const OpenedOutput opened = client.sink->All<OpenedOutput>().front();
  EXPECT_EQ(opened.session_id, options.session_id);
  EXPECT_EQ(opened.facts.state_bytes, 1000);
  EXPECT_EQ(opened.facts.frame_bytes, 3 * 64 * 64);
  EXPECT_EQ(opened.limits.max_chunk_latents, 10);
  EXPECT_EQ(opened.limits.max_message_bytes, 10 * 1024 + kChunkHeaderBytes);
  EXPECT_EQ(opened.limits.max_pending_chunks, 3);
  EXPECT_EQ(ledger_.bytes(), 1000);
}

TEST_F(SessionOpen, RefusesAChunkBeforeOpen) {
  const Client client = NewClient();
  client.session->OnChunk(Chunk(0, 0));
  EXPECT_EQ(client.WaitForEnd().failure.got, "latent_chunk");
  EXPECT_EQ(client.WaitForEnd().failure.allowed, "open");
  ExpectFailure(client, Reason::kOpenExpected, "message");
}

TEST_F(SessionOpen, RefusesEndHalfCloseAndUnknownMessagesBeforeOpen) {
  for (const StreamEvent event :
       {StreamEvent::kEnd, StreamEvent::kHalfClose, StreamEvent::kUnknownMessage}) {
    const Client client = NewClient();
    client.session->OnEvent(event);
    EXPECT_EQ(client.WaitForEnd().failure.reason, Reason::kOpenExpected);
  }
  ExpectAllReleased();
}

TEST_F(SessionOpen, RefusesASecondOpen) {
  const Client client = OpenClient();
  client.session->OnOpen(ValidOpen());
  ExpectFailure(client, Reason::kOpenRepeated, "message");
}

TEST_F(SessionOpen, RefusesASecondOpenEvenWhereItCannotBeUnderstood) {
  const Client client = OpenClient();
  client.session->OnOpen(BadField(Reason::kBadDtype, "latent_format.dtype", "9", "others"));
  ExpectFailure(client, Reason::kOpenRepeated, "message");
}

TEST_F(SessionOpen, PassesOnWhyAnOpenCouldNotBeUnderstood) {
  const Client client = NewClient();
  client.session->OnOpen(BadField(Reason::kBadDtype, "latent_format.dtype", "9", "others"));
  ExpectFailure(client, Reason::kBadDtype, "latent_format.dtype");
}

TEST_F(SessionOpen, RefusesABadOpenBeforeItReservesAnything) {
  const Client client = NewClient();
  OpenRequest request = ValidOpen();
  request.spec.geometry.width = 65;
  client.session->OnOpen(request);
  EXPECT_EQ(client.sink->All<OpenedOutput>().size(), 0u);
  ExpectFailure(client, Reason::kBadGeometry, "geometry.width");
}

TEST_F(SessionOpen, RefusesASessionTooManyUntilOneEnds) {
  std::vector<Client> clients;
  worker_.state_bytes = 10;
  for (int count = 0; count < 4; ++count) clients.push_back(OpenClient());
  const Client refused = NewClient();
  refused.session->OnOpen(ValidOpen());
  EXPECT_EQ(refused.WaitForEnd().failure.reason, Reason::kNoCapacitySessions);
  clients[0].session->OnEvent(StreamEvent::kEnd);
  EXPECT_EQ(clients[0].WaitForEnd().outcome, Outcome::kOk);
  OpenClient();
}

TEST_F(SessionOpen, RefusesStateThatDoesNotFit) {
  worker_.state_bytes = 2500;
  const Client first = OpenClient();
  const Client refused = NewClient();
  refused.session->OnOpen(ValidOpen());
  EXPECT_EQ(refused.WaitForEnd().failure.reason, Reason::kNoCapacityBytes);
  EXPECT_EQ(ledger_.bytes(), 2500);
}

TEST_F(SessionOpen, HasItsCacheWhenItSaysOpenedSoThatTheFirstLatentDoesNotPayForIt) {
  const Client client = OpenClient();
  EXPECT_EQ(worker_.open_streams, 1);
  client.session->OnEvent(StreamEvent::kCancel);
  ExpectAllReleased();
}

TEST_F(SessionOpen, FailsWhereTheCacheCannotBeMade) {
  worker_.fails_to_open = true;
  const Client client = NewClient();
  client.session->OnOpen(ValidOpen());
  EXPECT_EQ(client.sink->All<OpenedOutput>().size(), 0u);
  ExpectFailure(client, Reason::kInternalBug, "");
}

TEST_F(SessionOpen, TellsTheLogNothingOfARefusedOpen) {
  const Client client = NewClient();
  EXPECT_FALSE(client.session->report().request);
  OpenRequest request = ValidOpen();
  request.client_ref = "camera 7";
  client.session->OnOpen(request);
  ASSERT_TRUE(client.session->report().request);
  EXPECT_EQ(client.session->report().request->client_ref, "camera 7");
  EXPECT_EQ(client.session->report().reserved_bytes, 1000);
}

}  // namespace
}  // namespace causeway
