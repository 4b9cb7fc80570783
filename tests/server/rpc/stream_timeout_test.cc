// SPDX-License-Identifier: Apache-2.0
// Streams over gRPC whose time is over, by a clock that the test moves; and the whole protocol
// once.
#include <atomic>
#include <chrono>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "server/base/crc32c.h"
#include "tests/server/rpc/rpc_fixture.h"

namespace causeway::rpc {
namespace {

class StreamTimeout : public ::testing::Test {
 protected:
  StreamTimeout() {
    timeouts_.drain_grace = std::chrono::seconds(3);
    timeouts_.now = [this] { return Clock::time_point(std::chrono::milliseconds(now_ms_)); };
    service_.emplace(worker_, scheduler_, ledger_, log_, 1 << 20, timeouts_);
    server_.emplace(ServerOptions{"127.0.0.1:0", 1 << 20, 4}, *service_);
    stub_ = v1::Decoder::NewStub(grpc::CreateChannel("127.0.0.1:" + std::to_string(server_->port()),
                                                     grpc::InsecureChannelCredentials()));
  }
  void TearDown() override {
    worker_.gate.Open();
    server_.reset();
    scheduler_.Stop();
    EXPECT_EQ(ledger_.sessions(), 0);
    EXPECT_EQ(worker_.open_streams, 0);
  }
  /// The next message of that kind.
  static v1::DecodeResponse ReadUntil(TestStream& stream, v1::DecodeResponse::MessageCase kind) {
    while (const auto message = stream.Read()) {
      if (message->message_case() == kind) return *message;
    }
    ADD_FAILURE() << "the stream ended before that message";
    return {};
  }

  const std::vector<float> latents_ = testing::RandomLatents(testing::ValidOpen().spec, 8, 3);
  std::atomic<std::int64_t> now_ms_{1'000'000};
  StreamTimeouts timeouts_;
  testing::FakeDecodeWorker worker_;
  CapacityLedger ledger_{4, 4000};
  RecordingLog log_;
  Scheduler scheduler_;
  std::optional<DecodeService> service_;
  std::optional<Server> server_;
  std::unique_ptr<v1::Decoder::Stub> stub_;
};

TEST_F(StreamTimeout, AnIdleStreamIsWarnedThenEnded) {
  TestStream stream(*stub_);
  stream.Send(OpenMessage());
  EXPECT_EQ(ReadUntil(stream, v1::DecodeResponse::kOpened).opened().idle_timeout_ms(), 30'000);
  now_ms_ += 26'000;
  const v1::Notice notice = ReadUntil(stream, v1::DecodeResponse::kNotice).notice();
  EXPECT_EQ(notice.kind(), v1::NOTICE_KIND_IDLE_WARNING);
  EXPECT_EQ(notice.deadline_ms(), 4'000);
  now_ms_ += 4'000;
  EXPECT_EQ(InfoOf(stream.Finish()).reason(), "IDLE_TIMEOUT");
}

TEST_F(StreamTimeout, WantOfCreditEndsAStream) {
  v1::DecodeRequest open = OpenMessage();
  open.mutable_open()->mutable_delivery()->set_initial_frame_credits(1);
  TestStream stream(*stub_);
  stream.Send(open);
  stream.Send(ChunkMessage(testing::ChunkOf(testing::ValidOpen().spec, 0, latents_, 0, 8)));
  ReadUntil(stream, v1::DecodeResponse::kFrame);
  now_ms_ += 31'000;
  const grpc::Status status = stream.Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::ABORTED);
  EXPECT_EQ(InfoOf(status).reason(), "SLOW_CONSUMER");
  EXPECT_EQ(stream.Frames().size(), 1u);
}

TEST_F(StreamTimeout, AClientThatTakesNothingIsCancelled) {
  v1::DecodeRequest open = OpenMessage();
  open.mutable_open()->mutable_geometry()->set_height(1024);
  open.mutable_open()->mutable_geometry()->set_width(1024);
  StreamSpec spec = testing::ValidOpen().spec;
  spec.geometry = {.height = 1024, .width = 1024};
  const std::vector<float> latents = testing::RandomLatents(spec, 3, 5);
  TestStream stream(*stub_);
  stream.Send(open);
  stream.Send(ChunkMessage(testing::ChunkOf(spec, 0, latents, 0, 3)));
  ASSERT_TRUE(worker_.gate.WaitForArrivals(2));  // 15 MB: more than the transport buffers
  const auto deadline = std::chrono::steady_clock::now() + kDeadline;
  while (ledger_.sessions() > 0 && std::chrono::steady_clock::now() < deadline) {
    now_ms_ += 16'000;
    service_->Tick();
  }
  EXPECT_EQ(stream.Finish().error_code(), grpc::StatusCode::CANCELLED);
}

TEST_F(StreamTimeout, TheWholeProtocolOnce) {
  v1::DecodeRequest open = OpenMessage();
  open.mutable_open()->mutable_delivery()->set_initial_frame_credits(2);
  open.mutable_open()->set_checksum(v1::CHECKSUM_CRC32C);
  TestStream stream(*stub_);
  stream.Send(open);
  const v1::Opened opened = ReadUntil(stream, v1::DecodeResponse::kOpened).opened();
  EXPECT_EQ(opened.frame_credits(), 2);
  EXPECT_EQ(opened.limits().max_frame_credits(), 64);
  EXPECT_EQ(opened.input_credits().chunks(), 4);
  EXPECT_EQ(opened.input_credits().bytes(), 4 << 20);
  EXPECT_FALSE(opened.server_version().empty());

  v1::DecodeRequest ping;
  ping.mutable_ping()->set_payload("12345678");
  ping.mutable_ping()->set_client_time_ns(-5);
  stream.Send(ping);
  const v1::Pong pong = ReadUntil(stream, v1::DecodeResponse::kPong).pong();
  EXPECT_EQ(pong.payload(), "12345678");
  EXPECT_EQ(pong.client_time_ns(), -5);
  EXPECT_EQ(pong.server_time_ns(), 1'000'000'000'000);

  const ChunkRequest whole = testing::ChunkOf(testing::ValidOpen().spec, 0, latents_, 0, 2);
  for (int index = 0; index < 2; ++index) {
    v1::DecodeRequest part = ChunkMessage(whole);
    v1::LatentChunk& chunk = *part.mutable_latent_chunk();
    chunk.set_payload(
        whole.payload.substr(static_cast<std::size_t>(index) * 1000, index == 0 ? 1000 : 4096));
    chunk.mutable_fragment()->set_index(index);
    chunk.mutable_fragment()->set_count(2);
    chunk.set_crc32c(Crc32c(std::as_bytes(std::span(chunk.payload()))));
    stream.Send(part);
  }
  const v1::ChunkAccepted accepted =
      ReadUntil(stream, v1::DecodeResponse::kChunkAccepted).chunk_accepted();
  EXPECT_EQ(accepted.frame_count(), 5);
  v1::DecodeRequest credit;
  credit.mutable_credit()->set_frames(62);
  stream.Send(credit);
  EXPECT_EQ(ReadUntil(stream, v1::DecodeResponse::kChunkDone).chunk_done().frame_count(), 5);
  EXPECT_EQ(ReadUntil(stream, v1::DecodeResponse::kInputCredit).input_credit().bytes(), 2048);

  v1::DecodeRequest reset;
  reset.mutable_reset()->set_at_chunk_seq(1);
  stream.Send(reset);
  v1::DecodeRequest again =
      ChunkMessage(testing::ChunkOf(testing::ValidOpen().spec, 1, latents_, 0, 8));
  again.mutable_latent_chunk()->set_crc32c(
      Crc32c(std::as_bytes(std::span(again.latent_chunk().payload()))));
  stream.Send(again);
  EXPECT_EQ(ReadUntil(stream, v1::DecodeResponse::kChunkDone).chunk_done().frame_count(), 29);
  service_->Drain();
  const v1::Notice notice = ReadUntil(stream, v1::DecodeResponse::kNotice).notice();
  EXPECT_EQ(notice.kind(), v1::NOTICE_KIND_GO_AWAY);
  EXPECT_TRUE(notice.retry_elsewhere());
  EXPECT_EQ(notice.deadline_ms(), 3'000);
  EXPECT_EQ(notice.replay_latents(), testing::FakeDecodeWorker::kReplayLatents);
  EXPECT_EQ(InfoOf(stream.Finish()).reason(), "DRAINING");

  std::vector<std::vector<std::byte>> frames = stream.Frames();
  ASSERT_EQ(frames.size(), 5u + 29u);
  frames.erase(frames.begin(), frames.begin() + 5);
  EXPECT_EQ(frames, testing::ExpectedFrames(testing::ValidOpen().spec, latents_));
  for (const v1::DecodeResponse& message : stream.messages()) {
    if (!message.has_frame()) continue;
    const std::string& payload = message.frame().payload();
    EXPECT_EQ(message.frame().crc32c(), Crc32c(std::as_bytes(std::span(payload))));
    EXPECT_EQ(message.frame().epoch(), message.frame().chunk_seq());
  }
}

}  // namespace
}  // namespace causeway::rpc
