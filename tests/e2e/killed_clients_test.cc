// SPDX-License-Identifier: Apache-2.0
// 200 clients, processes of their own, killed in mid stream: the server is as it was.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <memory>
#include <random>

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <poll.h>

#include "causeway/v1/decode.grpc.pb.h"
#include "tests/e2e/child_process.h"

namespace causeway::testing {
namespace {

constexpr std::chrono::seconds kLimit{120};  // what takes longer hangs
constexpr int kPollMs = 10;
constexpr int kRounds = 5;
constexpr int kClients = 40;  // at the same time
const std::string kBin = CAUSEWAY_BIN;
const std::string kDemo = CAUSEWAY_SOURCE_DIR "/deploy/demo";

// A demo latent as the server holds it, [16, 24, 40] fp32.
constexpr std::int64_t kLatentBytes = 16 * 24 * 40 * sizeof(float);

class KilledClients : public ::testing::Test {
 protected:
  KilledClients() {
    if (mkdtemp(folder_.data()) == nullptr) throw std::runtime_error("no temporary folder");
    address_ = "unix:" + folder_ + "/data.sock";
    server_ = std::make_unique<ChildProcess>(
        std::vector<std::string>{kBin + "/causeway-server", "--model", "demo=" + kDemo + "/model",
                                 "--listen", address_, "--admin-listen", "none", "--threads", "1",
                                 "--max-sessions", std::to_string(kClients)},
        folder_ + "/server.log");
    const auto channel = grpc::CreateChannel(address_, grpc::InsecureChannelCredentials());
    if (!channel->WaitForConnected(std::chrono::system_clock::now() + kLimit)) {
      throw std::runtime_error("the server does not listen");
    }
    stub_ = v1::Decoder::NewStub(channel);
  }
  ~KilledClients() override { std::filesystem::remove_all(folder_); }

  ChildProcess StartClient() {
    return {{kBin + "/causeway", "decode", "--server", address_, "--model", "demo", "--latents",
             kDemo + "/latents.safetensors", "--chunk", "1"},
            folder_ + "/client.log"};
  }
  v1::ServerInfo Info() {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + kLimit);
    v1::ServerInfo info;
    EXPECT_TRUE(stub_->GetServerInfo(&context, {}, &info).ok());
    return info;
  }
  static bool WaitUntil(const std::function<bool()>& condition) {
    const auto deadline = std::chrono::steady_clock::now() + kLimit;
    while (!condition()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      poll(nullptr, 0, kPollMs);
    }
    return true;
  }
  /// Starts clients, waits until all are admitted, and kills them one by one.
  void KillARound(std::mt19937& random) {
    std::vector<ChildProcess> clients;
    for (int index = 0; index < kClients; ++index) clients.push_back(StartClient());
    ASSERT_TRUE(WaitUntil([&] { return Info().sessions() == kClients; })) << Info().DebugString();
    EXPECT_GT(Info().reserved_bytes(), 0);
    std::vector<int> order(kClients);
    for (int index = 0; index < kClients; ++index) order[static_cast<std::size_t>(index)] = index;
    std::shuffle(order.begin(), order.end(), random);
    for (const int index : order) {
      // Nobody had come to the end of a clip that takes as many turns as the clients have.
      EXPECT_EQ(clients[static_cast<std::size_t>(index)].Stop(SIGKILL), -SIGKILL);
    }
    EXPECT_TRUE(WaitUntil([&] {
      const v1::ServerInfo info = Info();
      return info.sessions() == 0 && info.reserved_bytes() == 0;
    })) << Info().DebugString();
  }

  std::string folder_ = std::filesystem::temp_directory_path() / "causeway_killed_XXXXXX";
  std::string address_;
  std::unique_ptr<ChildProcess> server_;
  std::unique_ptr<v1::Decoder::Stub> stub_;
};

TEST_F(KilledClients, LeaveNoSessionNoCacheNoFileAndNoMemoryBehind) {
  std::mt19937 random(11);
  // The first round fills what the server and its libraries keep for good.
  ASSERT_NO_FATAL_FAILURE(KillARound(random));
  const std::size_t files = server_->OpenFiles();
  const std::int64_t resident_bytes = server_->ResidentBytes();

  for (int round = 1; round < kRounds; ++round) ASSERT_NO_FATAL_FAILURE(KillARound(random));

  // Within a few: gRPC opens and closes some of its own.
  EXPECT_TRUE(WaitUntil([&] { return server_->OpenFiles() <= files + 4; }))
      << server_->OpenFiles() << " files, " << files << " after the first round";
  // Less than one latent a client, the smallest thing that a client has on the server; its cache
  // has tens of megabytes.
  const std::int64_t bound = (kRounds - 1) * kClients * kLatentBytes;
  EXPECT_LE(server_->ResidentBytes() - resident_bytes, bound)
      << server_->ResidentBytes() << " bytes, " << resident_bytes << " after the first round";
  EXPECT_EQ(server_->Stop(SIGTERM), 0);
}

}  // namespace
}  // namespace causeway::testing
