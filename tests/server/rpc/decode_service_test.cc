// SPDX-License-Identifier: Apache-2.0
// Streams over gRPC that end well, are cancelled, or are drained.
#include "server/rpc/decode_service.h"

#include <thread>

#include <gtest/gtest.h>

#include "tests/server/rpc/rpc_fixture.h"

namespace causeway::rpc {
namespace {

class DecodeServiceTest : public RpcFixture {
 protected:
  std::vector<std::vector<std::byte>> Expected() const {
    return testing::ExpectedFrames(testing::ValidOpen().spec, latents_);
  }
};

TEST_F(DecodeServiceTest, DecodesAStreamFromOpenToSummary) {
  TestStream stream(*stub_);
  stream.Send(OpenMessage());
  const auto opened = stream.Read();
  ASSERT_TRUE(opened && opened->has_opened());
  EXPECT_EQ(opened->opened().session_id().size(), 32u);
  EXPECT_EQ(opened->opened().session_id().find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_EQ(opened->opened().reserved_bytes(), 1000);
  EXPECT_EQ(opened->opened().frame_rule().first_latent_frames(), 1);
  EXPECT_EQ(opened->opened().frame_rule().per_latent_frames(), 4);
  EXPECT_EQ(opened->opened().backend(), "fake");
  stream.Send(Chunk(0, 0, 3));
  stream.Send(Chunk(1, 3, 5));
  stream.Send(EndMessage());
  const grpc::Status status = stream.Finish();
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(stream.Frames(), Expected());
  ASSERT_TRUE(stream.messages().back().has_summary());
  EXPECT_EQ(stream.messages().back().summary().latents(), 8u);
  ExpectReleased();
}

TEST_F(DecodeServiceTest, HalfCloseMeansEnd) {
  TestStream stream(*stub_);
  stream.Send(OpenMessage());
  stream.Send(Chunk(0, 0, 8));
  stream.HalfClose();
  EXPECT_TRUE(stream.Finish().ok());
  EXPECT_EQ(stream.Frames(), Expected());
}

TEST_F(DecodeServiceTest, FramesBeyondADefaultClientsMessageLimitArriveInFragments) {
  v1::DecodeRequest open = OpenMessage();
  open.mutable_open()->mutable_geometry()->set_height(1280);
  open.mutable_open()->mutable_geometry()->set_width(1280);
  StreamSpec spec = testing::ValidOpen().spec;
  spec.geometry = {.height = 1280, .width = 1280};
  const std::vector<float> latents = testing::RandomLatents(spec, 2, 5);
  TestStream stream(*stub_);
  stream.Send(open);
  stream.Send(ChunkMessage(testing::ChunkOf(spec, 0, latents, 0, 2)));
  stream.Send(EndMessage());
  const grpc::Status status = stream.Finish();
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(stream.Frames(), testing::ExpectedFrames(spec, latents));
  for (const v1::DecodeResponse& message : stream.messages()) {
    EXPECT_LE(message.ByteSizeLong(), (1u << 20) + 100u);
  }
}

TEST_F(DecodeServiceTest, FragmentsHaveTheSizeThatOpenAsksFor) {
  v1::DecodeRequest open = OpenMessage();
  open.mutable_open()->mutable_geometry()->set_height(256);
  open.mutable_open()->mutable_geometry()->set_width(256);
  open.mutable_open()->mutable_output()->set_fragment_bytes(65536);
  StreamSpec spec = testing::ValidOpen().spec;
  spec.geometry = {.height = 256, .width = 256};
  const std::vector<float> latents = testing::RandomLatents(spec, 1, 5);
  TestStream stream(*stub_);
  stream.Send(open);
  stream.Send(ChunkMessage(testing::ChunkOf(spec, 0, latents, 0, 1)));
  stream.Send(EndMessage());
  EXPECT_TRUE(stream.Finish().ok());
  int fragments = 0;
  for (const v1::DecodeResponse& message : stream.messages()) {
    if (!message.has_frame()) continue;
    EXPECT_EQ(message.frame().fragment().index(), fragments++);
    EXPECT_EQ(message.frame().fragment().count(), 3);
    EXPECT_EQ(message.frame().payload().size(), 65536u);
    EXPECT_TRUE(message.frame().last_of_chunk());
  }
  EXPECT_EQ(fragments, 3);
}

TEST_F(DecodeServiceTest, StreamsOfOneConnectionDecodeBesideEachOther) {
  std::vector<std::thread> clients;
  for (unsigned client = 0; client < 4; ++client) {
    clients.emplace_back([this, client] {
      const StreamSpec spec = testing::ValidOpen().spec;
      const std::vector<float> latents = testing::RandomLatents(spec, 6, 40 + client);
      TestStream stream(*stub_);
      stream.Send(OpenMessage());
      for (int seq = 0; seq < 3; ++seq) {
        stream.Send(ChunkMessage(testing::ChunkOf(spec, seq, latents, 2 * seq, 2)));
      }
      stream.Send(EndMessage());
      EXPECT_TRUE(stream.Finish().ok());
      EXPECT_EQ(stream.Frames(), testing::ExpectedFrames(spec, latents));
    });
  }
  for (std::thread& client : clients) client.join();
  ExpectReleased();
}

TEST_F(DecodeServiceTest, CancelReleasesTheSession) {
  TestStream stream(*stub_);
  stream.Send(OpenMessage());
  stream.Send(Chunk(0, 0, 2));
  ASSERT_TRUE(stream.Read());
  while (const auto message = stream.Read()) {
    if (message->has_chunk_done()) break;
  }
  EXPECT_EQ(ledger_.sessions(), 1);
  stream.Cancel();
  EXPECT_EQ(stream.Finish().error_code(), grpc::StatusCode::CANCELLED);
  EXPECT_TRUE(log_.WaitFor("session_ended", "cancelled"));
  ExpectReleased();
}

TEST_F(DecodeServiceTest, CancelWhileALatentIsDecodedReleasesAfterIt) {
  worker_.gate.Close();
  TestStream stream(*stub_);
  stream.Send(OpenMessage());
  stream.Send(Chunk(0, 0, 8));
  ASSERT_TRUE(worker_.gate.WaitForArrivals(1));
  stream.Cancel();
  EXPECT_EQ(stream.Finish().error_code(), grpc::StatusCode::CANCELLED);
  EXPECT_TRUE(log_.WaitFor("session_ended", "cancelled"));
  worker_.gate.Open();
  scheduler_.Stop();
  EXPECT_EQ(worker_.gate.arrivals(), 1);
  ExpectReleased();
}

TEST_F(DecodeServiceTest, AReaderThatReadsNothingDoesNotStopAnother) {
  v1::DecodeRequest open = OpenMessage();
  open.mutable_open()->mutable_geometry()->set_height(512);
  open.mutable_open()->mutable_geometry()->set_width(512);
  StreamSpec spec = testing::ValidOpen().spec;
  spec.geometry = {.height = 512, .width = 512};
  const std::vector<float> latents = testing::RandomLatents(spec, 15, 5);
  TestStream slow(*stub_);
  slow.Send(open);
  slow.Send(ChunkMessage(testing::ChunkOf(spec, 0, latents, 0, 15)));
  // A channel of its own: streams of one connection share its flow control.
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  const auto own_stub = v1::Decoder::NewStub(
      grpc::CreateCustomChannel("127.0.0.1:" + std::to_string(server_->port()),
                                grpc::InsecureChannelCredentials(), arguments));
  TestStream fast(*own_stub);
  fast.Send(OpenMessage());
  fast.Send(Chunk(0, 0, 8));
  fast.Send(EndMessage());
  EXPECT_TRUE(fast.Finish().ok());
  EXPECT_EQ(fast.Frames(), Expected());
  slow.Send(EndMessage());
  EXPECT_TRUE(slow.Finish().ok());
  EXPECT_EQ(slow.Frames().size(), 57u);
}

TEST_F(DecodeServiceTest, LogsWhoOpenedWhatAndHowItEnded) {
  v1::DecodeRequest open = OpenMessage();
  open.mutable_open()->set_client_ref("camera 7");
  TestStream stream(*stub_);
  stream.Send(open);
  stream.Send(Chunk(0, 0, 2));
  stream.Send(EndMessage());
  ASSERT_TRUE(stream.Finish().ok());
  const auto opened = log_.WaitFor("session_opened", "");
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->at("client_ref"), "camera 7");
  EXPECT_EQ(opened->at("geometry"), "64x64");
  EXPECT_EQ(opened->at("model"), "fake");
  const auto ended = log_.WaitFor("session_ended", "ok");
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->at("session"), opened->at("session"));
  EXPECT_EQ(ended->at("frames"), "5");
}

TEST_F(DecodeServiceTest, DrainDeliversWhatWasAcceptedAndRefusesWhatIsNew) {
  worker_.gate.Close();
  TestStream finishing(*stub_);
  finishing.Send(OpenMessage());
  finishing.Send(Chunk(0, 0, 1));
  finishing.Send(EndMessage());
  ASSERT_TRUE(worker_.gate.WaitForArrivals(1));
  TestStream streaming(*stub_);
  streaming.Send(OpenMessage());
  ASSERT_TRUE(streaming.Read());
  service_.Drain();
  EXPECT_EQ(InfoOf(streaming.Finish()).reason(), "DRAINING");
  TestStream late(*stub_);
  EXPECT_EQ(InfoOf(late.Finish()).reason(), "DRAINING");
  worker_.gate.Open();
  EXPECT_TRUE(finishing.Finish().ok());
  EXPECT_EQ(finishing.Frames().size(), 1u);
  EXPECT_TRUE(service_.WaitUntilDrained(kDeadline));
  EXPECT_EQ(service_.streams(), 0);
}

TEST_F(DecodeServiceTest, TheGraceEndsForStreamsThatDoNotFinish) {
  worker_.gate.Close();
  TestStream stream(*stub_);
  stream.Send(OpenMessage());
  stream.Send(Chunk(0, 0, 1));
  ASSERT_TRUE(worker_.gate.WaitForArrivals(1));
  service_.Drain();
  EXPECT_FALSE(service_.WaitUntilDrained(std::chrono::seconds(0)));
  service_.Abandon();
  EXPECT_FALSE(service_.WaitUntilDrained(kDeadline));
  worker_.gate.Open();
  EXPECT_EQ(InfoOf(stream.Finish()).reason(), "DRAINING");
}

TEST_F(DecodeServiceTest, StoppingTheServerCancelsWhatIsLeft) {
  worker_.gate.Close();
  TestStream stream(*stub_);
  stream.Send(OpenMessage());
  stream.Send(Chunk(0, 0, 1));
  ASSERT_TRUE(worker_.gate.WaitForArrivals(1));
  server_.reset();
  EXPECT_FALSE(stream.Finish().ok());
  worker_.gate.Open();
  scheduler_.Stop();
  ExpectReleased();
  EXPECT_EQ(worker_.open_streams, 0);
}

}  // namespace
}  // namespace causeway::rpc
