// SPDX-License-Identifier: Apache-2.0
// A server on a free port with the fake decoder, and a client that speaks the bare protocol.
#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include "causeway/v1/decode.grpc.pb.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "server/rpc/decode_service.h"
#include "server/rpc/server.h"
#include "tests/support/fake_decode_worker.h"
#include "tests/support/stream_data.h"

namespace causeway::rpc {

using testing::kDeadline;

class RecordingLog : public Log {
 public:
  using Line = std::map<std::string, std::string>;  // with the event under "event"

  void Write(LogLevel, std::string_view event, std::initializer_list<LogField> fields) override {
    const std::lock_guard lock(mutex_);
    Line& line = lines_.emplace_back();
    line["event"] = event;
    for (const LogField& field : fields) line[std::string(field.key)] = field.value;
    changed_.notify_all();
  }
  /// The first line of that event and outcome, within the deadline.
  std::optional<Line> WaitFor(const std::string& event, const std::string& outcome) {
    std::unique_lock lock(mutex_);
    std::optional<Line> found;
    changed_.wait_for(lock, kDeadline, [&] {
      for (const Line& line : lines_) {
        const auto value = line.find("outcome");
        if (line.at("event") != event) continue;
        if (value == line.end() ? outcome.empty() : value->second == outcome) found = line;
      }
      return found.has_value();
    });
    return found;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Line> lines_;
};

/// The ErrorInfo of a status; a test failure where there is none.
inline google::rpc::ErrorInfo InfoOf(const grpc::Status& status) {
  google::rpc::Status details;
  EXPECT_TRUE(details.ParseFromString(status.error_details()));
  EXPECT_EQ(details.code(), static_cast<int>(status.error_code()));
  google::rpc::ErrorInfo info;
  EXPECT_GE(details.details_size(), 1);
  if (details.details_size() > 0) {
    EXPECT_TRUE(details.details(0).UnpackTo(&info));
  }
  return info;
}

inline v1::DecodeRequest OpenMessage() {
  v1::DecodeRequest request;
  v1::Open& open = *request.mutable_open();
  open.set_model("fake");
  open.mutable_geometry()->set_height(64);
  open.mutable_geometry()->set_width(64);
  open.mutable_latent_format()->set_dtype(v1::DTYPE_F32);
  open.mutable_latent_format()->set_axes(v1::AXES_TCHW);
  open.mutable_latent_format()->set_domain(v1::DOMAIN_NORMALISED);
  open.mutable_output()->set_pixel_format(v1::PIXEL_FORMAT_RGB24);
  return request;
}

inline v1::DecodeRequest EndMessage() {
  v1::DecodeRequest request;
  request.mutable_end();
  return request;
}

inline v1::DecodeRequest ChunkMessage(ChunkRequest chunk) {
  v1::DecodeRequest request;
  v1::LatentChunk& message = *request.mutable_latent_chunk();
  message.set_chunk_seq(chunk.seq);
  message.set_latents(chunk.latents);
  message.set_payload(std::move(chunk.payload));
  return request;
}

/// One stream, read to its end.
class TestStream {
 public:
  explicit TestStream(v1::Decoder::Stub& stub) {
    context_.set_deadline(std::chrono::system_clock::now() + kDeadline);
    stream_ = stub.Decode(&context_);
  }
  ~TestStream() {
    if (!is_finished_) {
      context_.TryCancel();
      ReadAll();
      stream_->Finish();
    }
  }

  bool Send(const v1::DecodeRequest& request) { return stream_->Write(request); }
  void HalfClose() { stream_->WritesDone(); }
  void Cancel() { context_.TryCancel(); }
  /// The next message; nothing where the stream is over.
  std::optional<v1::DecodeResponse> Read() {
    v1::DecodeResponse response;
    if (!stream_->Read(&response)) return std::nullopt;
    messages_.push_back(response);
    return response;
  }
  grpc::Status Finish() {
    ReadAll();
    is_finished_ = true;
    return stream_->Finish();
  }
  const std::vector<v1::DecodeResponse>& messages() const { return messages_; }
  std::vector<std::vector<std::byte>> Frames() const {
    std::vector<std::vector<std::byte>> frames;
    for (const v1::DecodeResponse& message : messages_) {
      if (!message.has_frame()) continue;
      if (message.frame().fragment().index() == 0) frames.emplace_back();
      for (const char value : message.frame().payload()) {
        frames.back().push_back(static_cast<std::byte>(value));
      }
    }
    return frames;
  }

 private:
  void ReadAll() {
    while (Read()) {
    }
  }

  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReaderWriter<v1::DecodeRequest, v1::DecodeResponse>> stream_;
  std::vector<v1::DecodeResponse> messages_;
  bool is_finished_ = false;
};

class RpcFixture : public ::testing::Test {
 protected:
  static constexpr int kMessageBytes = 1 << 20;

  RpcFixture() : server_(std::in_place, ServerOptions{"127.0.0.1:0", kMessageBytes, 4}, service_) {
    channel_ = grpc::CreateChannel("127.0.0.1:" + std::to_string(server_->port()),
                                   grpc::InsecureChannelCredentials());
    stub_ = v1::Decoder::NewStub(channel_);
  }
  /// Whatever a test did to its streams: nothing stays behind.
  void TearDown() override {
    worker_.gate.Open();
    server_.reset();
    scheduler_.Stop();
    EXPECT_EQ(ledger_.sessions(), 0);
    EXPECT_EQ(ledger_.bytes(), 0);
    EXPECT_EQ(worker_.open_streams, 0);
    EXPECT_EQ(service_.streams(), 0);
  }

  /// Nothing is reserved, within the deadline: a client may hear of its end a moment before.
  void ExpectReleased() const {
    const auto deadline = std::chrono::steady_clock::now() + kDeadline;
    while (ledger_.sessions() != 0 && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::yield();
    }
    EXPECT_EQ(ledger_.sessions(), 0);
    EXPECT_EQ(ledger_.bytes(), 0);
  }

  v1::DecodeRequest Chunk(std::uint64_t seq, int first, int count = 1) const {
    return ChunkMessage(testing::ChunkOf(testing::ValidOpen().spec, seq, latents_, first, count));
  }

  const std::vector<float> latents_ = testing::RandomLatents(testing::ValidOpen().spec, 8, 3);
  testing::FakeDecodeWorker worker_;
  CapacityLedger ledger_{4, 4000};
  RecordingLog log_;
  Scheduler scheduler_;
  DecodeService service_{worker_, scheduler_, ledger_, log_, kMessageBytes};
  std::optional<Server> server_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<v1::Decoder::Stub> stub_;
};

}  // namespace causeway::rpc
