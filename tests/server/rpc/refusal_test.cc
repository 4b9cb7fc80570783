// SPDX-License-Identifier: Apache-2.0
// Every reason that can be raised, raised once over the wire.
#include <functional>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/server/rpc/rpc_fixture.h"

namespace causeway::rpc {
namespace {

using grpc::StatusCode;

class Refusal : public RpcFixture {
 protected:
  /// The stream that sends these messages fails for that reason.
  void ExpectFailure(const std::vector<v1::DecodeRequest>& messages, StatusCode code,
                     const std::string& reason, const std::string& field) {
    TestStream stream(*stub_);
    for (const v1::DecodeRequest& message : messages) {
      if (!stream.Send(message)) break;
    }
    const grpc::Status status = stream.Finish();
    EXPECT_EQ(status.error_code(), code) << status.error_message();
    const google::rpc::ErrorInfo info = InfoOf(status);
    EXPECT_EQ(info.domain(), "causeway");
    EXPECT_EQ(info.reason(), reason);
    EXPECT_EQ(info.metadata().count("field"), field.empty() ? 0u : 1u);
    if (!field.empty()) {
      EXPECT_EQ(info.metadata().at("field"), field);
    }
    EXPECT_EQ(status.error_message().find('\n'), std::string::npos);
  }

  void ExpectBadOpen(const std::function<void(v1::Open&)>& spoil, StatusCode code,
                     const std::string& reason, const std::string& field) {
    v1::DecodeRequest request = OpenMessage();
    spoil(*request.mutable_open());
    ExpectFailure({request}, code, reason, field);
  }

  /// The ChunkError that answers that chunk; the stream goes on and ends well.
  v1::ChunkError RefusedChunk(const v1::DecodeRequest& chunk) {
    TestStream stream(*stub_);
    stream.Send(OpenMessage());
    stream.Send(chunk);
    EXPECT_TRUE(stream.Read());
    const auto answer = stream.Read();
    EXPECT_TRUE(answer && answer->has_chunk_error());
    stream.Send(Chunk(0, 0));
    stream.Send(EndMessage());
    EXPECT_TRUE(stream.Finish().ok());
    EXPECT_EQ(stream.Frames().size(), 1u);
    return answer ? answer->chunk_error() : v1::ChunkError();
  }
};

TEST_F(Refusal, OpenExpected) {
  ExpectFailure({Chunk(0, 0)}, StatusCode::FAILED_PRECONDITION, "OPEN_EXPECTED", "message");
  ExpectFailure({EndMessage()}, StatusCode::FAILED_PRECONDITION, "OPEN_EXPECTED", "message");
  ExpectFailure({v1::DecodeRequest()}, StatusCode::FAILED_PRECONDITION, "OPEN_EXPECTED", "message");
}

TEST_F(Refusal, OpenExpectedForAStreamThatSaysNothing) {
  TestStream stream(*stub_);
  stream.HalfClose();
  EXPECT_EQ(InfoOf(stream.Finish()).reason(), "OPEN_EXPECTED");
}

TEST_F(Refusal, OpenRepeated) {
  ExpectFailure({OpenMessage(), OpenMessage()}, StatusCode::FAILED_PRECONDITION, "OPEN_REPEATED",
                "message");
}

TEST_F(Refusal, UnknownModel) {
  ExpectBadOpen([](v1::Open& open) { open.set_model("wan99"); }, StatusCode::NOT_FOUND,
                "UNKNOWN_MODEL", "model");
  ExpectBadOpen([](v1::Open& open) { open.set_model(std::string(100'000, 'x')); },
                StatusCode::NOT_FOUND, "UNKNOWN_MODEL", "model");
}

TEST_F(Refusal, BadGeometry) {
  ExpectBadOpen([](v1::Open& open) { open.clear_geometry(); }, StatusCode::INVALID_ARGUMENT,
                "BAD_GEOMETRY", "geometry.height");
  ExpectBadOpen([](v1::Open& open) { open.mutable_geometry()->set_width(1281); },
                StatusCode::INVALID_ARGUMENT, "BAD_GEOMETRY", "geometry.width");
}

TEST_F(Refusal, BadDtype) {
  ExpectBadOpen([](v1::Open& open) { open.mutable_latent_format()->clear_dtype(); },
                StatusCode::INVALID_ARGUMENT, "BAD_DTYPE", "latent_format.dtype");
  ExpectBadOpen(
      [](v1::Open& open) { open.mutable_latent_format()->set_dtype(static_cast<v1::Dtype>(99)); },
      StatusCode::INVALID_ARGUMENT, "BAD_DTYPE", "latent_format.dtype");
}

TEST_F(Refusal, BadLayout) {
  ExpectBadOpen([](v1::Open& open) { open.mutable_latent_format()->clear_axes(); },
                StatusCode::INVALID_ARGUMENT, "BAD_LAYOUT", "latent_format.axes");
}

TEST_F(Refusal, BadFormat) {
  ExpectBadOpen([](v1::Open& open) { open.clear_output(); }, StatusCode::INVALID_ARGUMENT,
                "BAD_FORMAT", "output.pixel_format");
}

TEST_F(Refusal, BadOption) {
  ExpectBadOpen([](v1::Open& open) { open.mutable_latent_format()->clear_domain(); },
                StatusCode::INVALID_ARGUMENT, "BAD_OPTION", "latent_format.domain");
  ExpectBadOpen([](v1::Open& open) { open.mutable_output()->set_fragment_bytes(1000); },
                StatusCode::INVALID_ARGUMENT, "BAD_OPTION", "output.fragment_bytes");
  ExpectBadOpen([](v1::Open& open) { open.set_client_ref(std::string(65, 'x')); },
                StatusCode::INVALID_ARGUMENT, "BAD_OPTION", "client_ref");
}

TEST_F(Refusal, NoCapacitySessions) {
  worker_.state_bytes = 0;
  std::vector<std::unique_ptr<TestStream>> streams;
  for (int count = 0; count < 4; ++count) {
    streams.push_back(std::make_unique<TestStream>(*stub_));
    streams.back()->Send(OpenMessage());
    ASSERT_TRUE(streams.back()->Read());
  }
  TestStream refused(*stub_);
  refused.Send(OpenMessage());
  const grpc::Status status = refused.Finish();
  EXPECT_EQ(status.error_code(), StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(InfoOf(status).reason(), "NO_CAPACITY_SESSIONS");
}

TEST_F(Refusal, NoCapacityBytes) {
  worker_.state_bytes = 4001;
  ExpectFailure({OpenMessage()}, StatusCode::RESOURCE_EXHAUSTED, "NO_CAPACITY_BYTES",
                "reserved_bytes");
}

TEST_F(Refusal, ChunkSeqGap) {
  ExpectFailure({OpenMessage(), Chunk(1, 0)}, StatusCode::FAILED_PRECONDITION, "CHUNK_SEQ_GAP",
                "latent_chunk.chunk_seq");
}

TEST_F(Refusal, ChunkAfterEnd) {
  worker_.gate.Close();
  ExpectFailure({OpenMessage(), Chunk(0, 0), EndMessage(), Chunk(1, 1)},
                StatusCode::FAILED_PRECONDITION, "CHUNK_AFTER_END", "message");
}

TEST_F(Refusal, InputOverrun) {
  worker_.gate.Close();
  ExpectFailure({OpenMessage(), Chunk(0, 0), Chunk(1, 1), Chunk(2, 2), Chunk(3, 3), Chunk(4, 4)},
                StatusCode::RESOURCE_EXHAUSTED, "INPUT_OVERRUN", "limits.max_pending_chunks");
}

TEST_F(Refusal, NotImplemented) {
  ExpectFailure({OpenMessage(), v1::DecodeRequest()}, StatusCode::UNIMPLEMENTED, "NOT_IMPLEMENTED",
                "message");
}

TEST_F(Refusal, NotImplementedIsWhatAResumeIs) {
  ExpectBadOpen([](v1::Open& open) { open.mutable_resume()->set_token("x"); },
                StatusCode::UNIMPLEMENTED, "NOT_IMPLEMENTED", "resume");
}

TEST_F(Refusal, BadOptionForEveryFieldThatSaysHowFramesAreServed) {
  const std::pair<std::string, std::function<void(v1::Open&)>> kCases[] = {
      {"timing.timebase", [](v1::Open& open) { open.mutable_timing()->set_timebase_num(1); }},
      {"timing.target_fps", [](v1::Open& open) { open.mutable_timing()->set_target_fps(-1); }},
      {"timing.target_fps",
       [](v1::Open& open) {
         open.mutable_timing()->set_target_fps(std::numeric_limits<double>::quiet_NaN());
       }},
      {"timing.max_lateness_ms",
       [](v1::Open& open) { open.mutable_timing()->set_max_lateness_ms(-1); }},
      {"delivery.mode",
       [](v1::Open& open) { open.mutable_delivery()->set_mode(static_cast<v1::DeliveryMode>(9)); }},
      {"delivery.initial_frame_credits",
       [](v1::Open& open) { open.mutable_delivery()->set_initial_frame_credits(65); }},
      {"priority", [](v1::Open& open) { open.set_priority(static_cast<v1::Priority>(9)); }},
      {"checksum", [](v1::Open& open) { open.set_checksum(static_cast<v1::Checksum>(9)); }},
      {"output.range",
       [](v1::Open& open) { open.mutable_output()->set_range(v1::COLOR_RANGE_LIMITED); }},
      {"output.matrix",
       [](v1::Open& open) { open.mutable_output()->set_matrix(static_cast<v1::ColorMatrix>(9)); }}};
  for (const auto& [field, spoil] : kCases) {
    ExpectBadOpen(spoil, StatusCode::INVALID_ARGUMENT, "BAD_OPTION", field);
  }
}

TEST_F(Refusal, BadOptionForCreditsAndPings) {
  v1::DecodeRequest credit;
  credit.mutable_credit()->set_frames(-1);
  ExpectFailure({OpenMessage(), credit}, StatusCode::INVALID_ARGUMENT, "BAD_OPTION",
                "credit.frames");
  v1::DecodeRequest ping;
  ping.mutable_ping()->set_payload("123456789");
  ExpectFailure({OpenMessage(), ping}, StatusCode::INVALID_ARGUMENT, "BAD_OPTION", "ping.payload");
}

TEST_F(Refusal, BadReset) {
  v1::DecodeRequest reset;
  reset.mutable_reset()->set_at_chunk_seq(0);
  ExpectFailure({OpenMessage(), Chunk(0, 0), reset}, StatusCode::FAILED_PRECONDITION, "BAD_RESET",
                "reset.at_chunk_seq");
}

TEST_F(Refusal, BadFragment) {
  v1::DecodeRequest second = Chunk(0, 0);
  second.mutable_latent_chunk()->mutable_fragment()->set_index(1);
  second.mutable_latent_chunk()->mutable_fragment()->set_count(2);
  const v1::ChunkError error = RefusedChunk(second);
  EXPECT_EQ(error.reason(), "BAD_FRAGMENT");
  EXPECT_EQ(error.field(), "latent_chunk.fragment");
}

TEST_F(Refusal, ChecksumMismatchTheThirdTime) {
  v1::DecodeRequest open = OpenMessage();
  open.mutable_open()->set_checksum(v1::CHECKSUM_CRC32C);
  v1::DecodeRequest chunk = Chunk(0, 0);
  chunk.mutable_latent_chunk()->set_crc32c(1);
  ExpectFailure({open, chunk, chunk, chunk}, StatusCode::DATA_LOSS, "CHECKSUM_MISMATCH",
                "latent_chunk.crc32c");
}

TEST_F(Refusal, Draining) {
  service_.Drain();
  ExpectFailure({OpenMessage()}, StatusCode::UNAVAILABLE, "DRAINING", "");
}

TEST_F(Refusal, InternalBug) {
  worker_.fail_at_latent = 0;
  ExpectFailure({OpenMessage(), Chunk(0, 0)}, StatusCode::INTERNAL, "INTERNAL_BUG", "");
}

TEST_F(Refusal, PayloadSizeMismatch) {
  const v1::ChunkError error = RefusedChunk(ChunkMessage({0, 2, "short"}));
  EXPECT_EQ(error.chunk_seq(), 0u);
  EXPECT_EQ(error.reason(), "PAYLOAD_SIZE_MISMATCH");
  EXPECT_EQ(error.field(), "latent_chunk.payload");
  EXPECT_EQ(error.got(), "5 bytes");
  EXPECT_EQ(error.allowed(), "2048 bytes for 2 latents");
  EXPECT_NE(error.message().find("5 bytes"), std::string::npos);
}

TEST_F(Refusal, ChunkTooLong) {
  const v1::ChunkError error =
      RefusedChunk(ChunkMessage({0, std::numeric_limits<int>::max(), "short"}));
  EXPECT_EQ(error.reason(), "CHUNK_TOO_LONG");
  EXPECT_EQ(error.field(), "latent_chunk.latents");
}

TEST_F(Refusal, NonFiniteLatent) {
  std::vector<float> poisoned(latents_.begin(), latents_.begin() + 256);
  poisoned[17] = std::numeric_limits<float>::infinity();
  const v1::ChunkError error =
      RefusedChunk(ChunkMessage(testing::ChunkOf(testing::ValidOpen().spec, 0, poisoned, 0, 1)));
  EXPECT_EQ(error.reason(), "NON_FINITE_LATENT");
}

TEST_F(Refusal, AMessageBeyondTheLimitEndsTheStreamInTheTransport) {
  TestStream stream(*stub_);
  stream.Send(OpenMessage());
  ASSERT_TRUE(stream.Read());
  stream.Send(ChunkMessage({0, 1, std::string(kMessageBytes + 1, 'x')}));
  EXPECT_EQ(stream.Finish().error_code(), StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_TRUE(log_.WaitFor("session_ended", "cancelled"));
  ExpectReleased();
}

}  // namespace
}  // namespace causeway::rpc
