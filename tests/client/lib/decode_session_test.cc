// SPDX-License-Identifier: Apache-2.0
#include "client/lib/decode_session.h"

#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "client/lib/decode_client.h"
#include "server/base/crc32c.h"
#include "tests/client/lib/scripted_server.h"

namespace causeway::client {
namespace {

using Stream = ScriptedServer::Stream;

constexpr std::size_t kLatentBytes = 32;
constexpr std::size_t kFrameBytes = 768;

std::string Payload(int count) { return std::string(kLatentBytes * count, 'x'); }

std::unique_ptr<DecodeSession> OpenAt(const ScriptedServer& server,
                                      const v1::Open& open = SmallOpen(),
                                      const SessionOptions& options = {}) {
  return DecodeClient({.server = server.address()}).Open(open, options);
}

// A server that admits with credits and then does as the script says.
ScriptedServer::Script Whole(std::function<grpc::Status(Stream&)> script) {
  return [script = std::move(script)](grpc::ServerContext&, Stream& stream) {
    AdmitWithCredits(stream);
    return script(stream);
  };
}

template <typename T>
T WaitFor(DecodeSession& session) {
  for (;;) {
    Event event = session.Next();
    if (T* found = std::get_if<T>(&event)) return std::move(*found);
  }
}

ErrorKind KindOfTheEnd(DecodeSession& session) {
  try {
    WaitFor<v1::Summary>(session);
  } catch (const DecodeError& error) {
    return error.kind();
  }
  ADD_FAILURE() << "a Summary";
  return ErrorKind::kServerFault;
}

TEST(DecodeSession, SendsAChunkInFragmentsThatTogetherAreThePayload) {
  std::vector<v1::LatentChunk> messages;
  auto server = std::make_unique<ScriptedServer>(Whole([&messages](Stream& stream) {
    v1::DecodeRequest request;
    while (stream.Read(&request) && request.has_latent_chunk()) {
      messages.push_back(request.latent_chunk());
    }
    return grpc::Status(grpc::StatusCode::ABORTED, "enough");
  }));
  SessionOptions options;
  options.oversize = SessionOptions::Oversize::kFragment;
  options.max_message_bytes = 50 + 128;
  v1::Open open = SmallOpen();
  open.set_checksum(v1::CHECKSUM_CRC32C);
  const auto session = OpenAt(*server, open, options);
  std::string payload;
  for (std::size_t i = 0; i < 5 * kLatentBytes; ++i) payload += static_cast<char>(i);
  // More than Limits.max_chunk_latents: those count what fits into one message.
  session->SendChunk(5, payload);
  session->End();
  EXPECT_EQ(KindOfTheEnd(*session), ErrorKind::kSessionLost);
  server.reset();
  ASSERT_EQ(messages.size(), 4u);
  std::string received;
  for (const v1::LatentChunk& message : messages) {
    EXPECT_EQ(message.chunk_seq(), 0u);
    EXPECT_LE(message.ByteSizeLong(), 50u + 128u);
    EXPECT_EQ(message.crc32c(), Crc32c(std::as_bytes(std::span(message.payload()))));
    received += message.payload();
  }
  EXPECT_EQ(received, payload);
}

TEST(DecodeSession, HandsOutEveryDropAndNoSilentHole) {
  const ScriptedServer server(Whole([](Stream& stream) {
    ReadUntil(stream, v1::DecodeRequest::kLatentChunk);
    Send(stream, Fragment(0, 0, 0, 1, kFrameBytes, 'a', false));
    for (std::uint64_t i = 1; i <= 3; ++i) {
      v1::FrameDropped dropped;
      dropped.set_frame_index(i);
      dropped.set_reason(v1::DROP_REASON_SLOW_CONSUMER);
      Send(stream, dropped);
    }
    Send(stream, Fragment(4, 0, 0, 1, kFrameBytes, 'b', true));
    Send(stream, Done(0, 0, 5));
    v1::Summary summary = Totals(1, 5);
    summary.set_frames_dropped(3);
    Send(stream, summary);
    return grpc::Status::OK;
  }));
  const auto session = OpenAt(server);
  session->SendChunk(2, Payload(2));
  session->End();
  std::vector<std::uint64_t> frames;
  std::vector<std::uint64_t> dropped;
  for (bool is_over = false; !is_over;) {
    const Event event = session->Next();
    if (const auto* frame = std::get_if<Frame>(&event)) frames.push_back(frame->index);
    if (const auto* drop = std::get_if<v1::FrameDropped>(&event)) {
      dropped.push_back(drop->frame_index());
    }
    is_over = std::holds_alternative<v1::Summary>(event);
  }
  EXPECT_EQ(frames, (std::vector<std::uint64_t>{0, 4}));
  EXPECT_EQ(dropped, (std::vector<std::uint64_t>{1, 2, 3}));
}

TEST(DecodeSession, ResetsRightBeforeTheNextChunk) {
  const ScriptedServer server(Whole([](Stream& stream) {
    ReadUntil(stream, v1::DecodeRequest::kLatentChunk);
    Send(stream, Fragment(0, 0, 0, 1, kFrameBytes, 'a', true));
    Send(stream, Done(0, 0, 1));
    const v1::DecodeRequest reset = ReadUntil(stream, v1::DecodeRequest::kReset);
    if (reset.reset().at_chunk_seq() != 1) return grpc::Status::CANCELLED;
    ReadUntil(stream, v1::DecodeRequest::kLatentChunk);
    v1::Frame frame = Fragment(1, 1, 0, 1, kFrameBytes, 'b', true);
    frame.set_epoch(1);
    Send(stream, frame);
    Send(stream, Done(1, 1, 1));
    Send(stream, Totals(2, 2));
    return grpc::Status::OK;
  }));
  const auto session = OpenAt(server);
  session->SendChunk(1, Payload(1));
  EXPECT_EQ(WaitFor<Frame>(*session).epoch, 0u);
  session->Reset();
  session->SendChunk(1, Payload(1));
  session->End();
  EXPECT_EQ(WaitFor<Frame>(*session).epoch, 1u);
  EXPECT_EQ(WaitFor<v1::Summary>(*session).frames(), 2u);
}

TEST(DecodeSession, TellsThatTheServerGoesAwayAndDeliversWhatItTook) {
  const ScriptedServer server(Whole([](Stream& stream) {
    ReadUntil(stream, v1::DecodeRequest::kLatentChunk);
    v1::Notice notice;
    notice.set_kind(v1::NOTICE_KIND_GO_AWAY);
    notice.set_retry_elsewhere(true);
    notice.set_replay_latents(38);
    Send(stream, notice);
    Send(stream, Fragment(0, 0, 0, 1, kFrameBytes, 'a', true));
    Send(stream, Done(0, 0, 1));
    return grpc::Status(grpc::StatusCode::UNAVAILABLE, "draining");
  }));
  const auto session = OpenAt(server);
  session->SendChunk(1, Payload(1));
  EXPECT_TRUE(session->has_room());
  EXPECT_EQ(WaitFor<v1::Notice>(*session).replay_latents(), 38);
  EXPECT_FALSE(session->has_room());
  EXPECT_EQ(WaitFor<Frame>(*session).index, 0u);
  EXPECT_EQ(KindOfTheEnd(*session), ErrorKind::kUnavailable);
}

TEST(DecodeSession, AChunkWithAWrongChecksumCanBeSentAgain) {
  const ScriptedServer server(Whole([](Stream& stream) {
    ReadUntil(stream, v1::DecodeRequest::kLatentChunk);
    v1::ChunkError refused;
    refused.set_reason("CHECKSUM_MISMATCH");
    Send(stream, refused);
    v1::InputCredit credit;
    credit.set_chunks(1);
    credit.set_bytes(kLatentBytes);
    Send(stream, credit);
    const auto again = ReadUntil(stream, v1::DecodeRequest::kLatentChunk).latent_chunk();
    v1::Frame frame = Fragment(0, again.chunk_seq(), 0, 1, kFrameBytes, 'a', true);
    frame.set_crc32c(Crc32c(std::as_bytes(std::span(frame.payload()))));
    Send(stream, frame);
    Send(stream, Done(again.chunk_seq(), 0, 1));
    ReadUntil(stream, v1::DecodeRequest::kEnd);
    v1::Summary summary = Totals(1, 1);
    summary.set_chunk_errors(1);
    Send(stream, summary);
    return grpc::Status::OK;
  }));
  v1::Open open = SmallOpen();
  open.set_checksum(v1::CHECKSUM_CRC32C);
  const auto session = OpenAt(server, open);
  EXPECT_EQ(session->SendChunk(1, Payload(1)), 0u);
  EXPECT_EQ(WaitFor<v1::ChunkError>(*session).reason(), "CHECKSUM_MISMATCH");
  EXPECT_EQ(session->SendChunk(1, Payload(1)), 0u);
  session->End();
  EXPECT_EQ(WaitFor<v1::Summary>(*session).frames(), 1u);
}

TEST(DecodeSession, AFrameWithAWrongChecksumEndsTheSession) {
  const ScriptedServer server(Whole([](Stream& stream) {
    ReadUntil(stream, v1::DecodeRequest::kLatentChunk);
    v1::Frame frame = Fragment(0, 0, 0, 1, kFrameBytes, 'a', true);
    frame.set_crc32c(1 + Crc32c(std::as_bytes(std::span(frame.payload()))));
    Send(stream, frame);
    return grpc::Status::OK;
  }));
  v1::Open open = SmallOpen();
  open.set_checksum(v1::CHECKSUM_CRC32C);
  const auto session = OpenAt(server, open);
  session->SendChunk(1, Payload(1));
  EXPECT_EQ(KindOfTheEnd(*session), ErrorKind::kDataLoss);
}

TEST(DecodeSession, ThrowsAwayThePartsThatWaitBehindARefusedOne) {
  std::vector<int> seen;
  auto server = std::make_unique<ScriptedServer>(Whole([&seen](Stream& stream) {
    for (int i = 0; i < 2; ++i) {
      seen.push_back(ReadUntil(stream, v1::DecodeRequest::kLatentChunk).latent_chunk().latents());
    }
    v1::ChunkError refused;
    refused.set_chunk_seq(1);
    refused.set_reason("NON_FINITE_LATENT");
    Send(stream, refused);
    v1::InputCredit credit;
    credit.set_chunks(1);
    credit.set_bytes(3 * kLatentBytes);
    Send(stream, credit);
    // The next message is End, not the third part.
    v1::DecodeRequest request;
    stream.Read(&request);
    if (request.has_end()) return grpc::Status(grpc::StatusCode::ABORTED, "as expected");
    return grpc::Status::OK;
  }));
  const auto session = OpenAt(*server);
  session->SendChunk(9, Payload(9));
  EXPECT_FALSE(session->has_room());
  EXPECT_EQ(WaitFor<v1::ChunkError>(*session).chunk_seq(), 1u);
  session->End();
  EXPECT_EQ(KindOfTheEnd(*session), ErrorKind::kSessionLost);
  server.reset();
  EXPECT_EQ(seen, (std::vector<int>{3, 3}));
}

TEST(DecodeSession, MeasuresTheRoundTrip) {
  const ScriptedServer server(Whole([](Stream& stream) {
    const v1::DecodeRequest ping = ReadUntil(stream, v1::DecodeRequest::kPing);
    v1::DecodeResponse response;
    response.mutable_pong()->set_client_time_ns(ping.ping().client_time_ns());
    stream.Write(response);
    stream.Write(response);
    return grpc::Status::OK;
  }));
  const auto session = OpenAt(server);
  session->Ping();
  EXPECT_GT(WaitFor<RoundTrip>(*session).time.count(), 0);
  EXPECT_EQ(KindOfTheEnd(*session), ErrorKind::kProtocol) << "a second Pong";
}

TEST(DecodeSession, WaitsNoLongerThanAsked) {
  const ScriptedServer server(Whole([](Stream& stream) {
    ReadUntil(stream, v1::DecodeRequest::kEnd);
    Send(stream, Totals(0, 0));
    return grpc::Status::OK;
  }));
  const auto session = OpenAt(server);
  EXPECT_FALSE(session->NextUntil(DecodeSession::Clock::now()));
  session->End();
  EXPECT_EQ(WaitFor<v1::Summary>(*session).chunks(), 0u);
}

TEST(DecodeSession, AFirstVersionServerSeesNothingThatItDoesNotKnow) {
  std::vector<v1::DecodeRequest::MessageCase> seen;
  auto server = std::make_unique<ScriptedServer>([&seen](grpc::ServerContext&, Stream& stream) {
    Admit(stream);
    v1::DecodeRequest request;
    while (stream.Read(&request)) {
      seen.push_back(request.message_case());
      if (!request.has_latent_chunk()) continue;
      Send(stream, Fragment(0, 0, 0, 1, kFrameBytes, 'a', true));
      Send(stream, Done(0, 0, 1));
    }
    // The half-close that such a server waits for has come.
    Send(stream, Totals(1, 1));
    return grpc::Status::OK;
  });
  const auto session = OpenAt(*server);
  EXPECT_TRUE(session->is_first_version());
  session->Ping();
  try {
    session->Reset();
    FAIL();
  } catch (const DecodeError& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kNotImplemented);
  }
  session->SendChunk(1, Payload(1));
  EXPECT_EQ(WaitFor<Frame>(*session).index, 0u);
  session->End();
  EXPECT_EQ(WaitFor<v1::Summary>(*session).frames(), 1u);
  server.reset();
  EXPECT_EQ(seen, (std::vector{v1::DecodeRequest::kLatentChunk, v1::DecodeRequest::kEnd}));
}

TEST(DecodeSession, DoesNotPretendThatAFirstVersionServerMakesChecksums) {
  const ScriptedServer server([](grpc::ServerContext& context, Stream& stream) {
    Admit(stream);
    v1::DecodeRequest request;
    while (!context.IsCancelled() && stream.Read(&request)) {
    }
    return grpc::Status::OK;
  });
  v1::Open open = SmallOpen();
  open.set_checksum(v1::CHECKSUM_CRC32C);
  try {
    OpenAt(server, open);
    FAIL();
  } catch (const DecodeError& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kNotImplemented);
  }
}

}  // namespace
}  // namespace causeway::client
