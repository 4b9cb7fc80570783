// SPDX-License-Identifier: Apache-2.0
#include "server/rpc/server.h"

#include <cstdlib>
#include <filesystem>
#include <future>
#include <string>

#include <grpcpp/generic/generic_stub.h>
#include <gtest/gtest.h>

#include "tests/server/rpc/rpc_fixture.h"

namespace causeway::rpc {
namespace {

/// Calls grpc.health.v1.Health/Check for the whole server and returns the response's bytes: field 1
/// is the status, 1 SERVING and 2 NOT_SERVING.
std::string CheckHealth(const std::shared_ptr<grpc::Channel>& channel) {
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + kDeadline);
  const grpc::Slice empty_message("");
  const grpc::ByteBuffer request(&empty_message, 1);
  grpc::ByteBuffer response;
  std::promise<grpc::Status> done;
  grpc::GenericStub stub(channel);
  stub.UnaryCall(&context, "/grpc.health.v1.Health/Check", grpc::StubOptions(), &request, &response,
                 [&done](grpc::Status status) { done.set_value(std::move(status)); });
  const grpc::Status status = done.get_future().get();
  EXPECT_TRUE(status.ok()) << status.error_message();
  grpc::Slice slice;
  EXPECT_TRUE(response.DumpToSingleSlice(&slice).ok());
  return {slice.begin(), slice.end()};
}

class ServerTest : public RpcFixture {};

TEST_F(ServerTest, AnswersHealthChecks) {
  EXPECT_EQ(CheckHealth(channel_), "\x08\x01");
  server_->SetServing(false);
  EXPECT_EQ(CheckHealth(channel_), "\x08\x02");
}

TEST_F(ServerTest, ListensOnAUnixSocket) {
  std::string folder = std::filesystem::temp_directory_path() / "causeway_server_test_XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  {
    DecodeService service(worker_, scheduler_, ledger_, log_, kMessageBytes);
    const Server server({"unix:" + folder + "/socket", kMessageBytes, 4}, service);
    EXPECT_EQ(CheckHealth(grpc::CreateChannel("unix:" + folder + "/socket",
                                              grpc::InsecureChannelCredentials())),
              "\x08\x01");
    try {
      const Server second({"unix:" + folder + "/socket", kMessageBytes, 4}, service);
      ADD_FAILURE() << "a second server takes the socket over";
    } catch (const std::runtime_error& error) {
      EXPECT_NE(std::string(error.what()).find("another server"), std::string::npos);
    }
  }
  std::filesystem::remove_all(folder);
}

TEST_F(ServerTest, RefusesAPortThatIsTaken) {
  DecodeService service(worker_, scheduler_, ledger_, log_, kMessageBytes);
  const std::string taken = "127.0.0.1:" + std::to_string(server_->port());
  try {
    const Server server({taken, kMessageBytes, 4}, service);
    FAIL() << "two servers share a port";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find(taken), std::string::npos);
  }
}

/// Watches for response headers.
class HeaderWatcher : public grpc::ClientBidiReactor<v1::DecodeRequest, v1::DecodeResponse> {
 public:
  explicit HeaderWatcher(v1::Decoder::Stub& stub) {
    context_.set_deadline(std::chrono::system_clock::now() + kDeadline);
    stub.async()->Decode(&context_, this);
    AddHold();
    StartCall();
  }
  void Open() {
    request_ = OpenMessage();
    StartWriteLast(&request_, grpc::WriteOptions());
    StartRead(&response_);
  }
  void End() { RemoveHold(); }
  void OnReadInitialMetadataDone(bool) override { has_headers_ = true; }
  void OnReadDone(bool ok) override {
    if (ok) StartRead(&response_);
  }
  void OnDone(const grpc::Status& status) override { done_.set_value(status); }

  bool has_headers() const { return has_headers_; }
  grpc::Status WaitUntilDone() { return done_.get_future().get(); }

 private:
  grpc::ClientContext context_;
  v1::DecodeRequest request_;
  v1::DecodeResponse response_;
  std::atomic<bool> has_headers_{false};
  std::promise<grpc::Status> done_;
};

// A proxy can only try a refused stream elsewhere while no headers have come back.
TEST_F(ServerTest, SendsNoHeadersBeforeAdmission) {
  HeaderWatcher watcher(*stub_);
  TestStream other(*stub_);
  other.Send(OpenMessage());
  ASSERT_TRUE(other.Read());
  // Same connection: headers of the first stream would have arrived before this answer.
  EXPECT_EQ(CheckHealth(channel_), "\x08\x01");
  EXPECT_FALSE(watcher.has_headers());
  watcher.Open();
  watcher.End();
  EXPECT_TRUE(watcher.WaitUntilDone().ok());
  EXPECT_TRUE(watcher.has_headers());
}

}  // namespace
}  // namespace causeway::rpc
