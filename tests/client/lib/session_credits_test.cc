// SPDX-License-Identifier: Apache-2.0
// Credits both ways, against a server that counts them.
#include <deque>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "client/lib/decode_client.h"
#include "tests/client/lib/scripted_server.h"

namespace causeway::client {
namespace {

using Stream = ScriptedServer::Stream;

constexpr std::int64_t kLatentBytes = 32;
constexpr std::size_t kFrameBytes = 768;

// Serves a session, with every credit counted. An input credit comes back when its chunk is done.
class CountingServer {
 public:
  explicit CountingServer(Stream& stream) : stream_(stream) {}

  std::vector<std::string> violations;
  std::vector<int> chunks;  // latents of each

  void Serve() {
    v1::DecodeRequest request;
    stream_.Read(&request);
    v1::DecodeResponse response;
    const v1::Opened opened = CreditedOpened(request.open());
    *response.mutable_opened() = opened;
    stream_.Write(response);
    window_ = credits_ = opened.frame_credits();
    chunk_credits_ = opened.input_credits().chunks();
    byte_credits_ = opened.input_credits().bytes();
    while (!has_ended_ || !waiting_.empty()) {
      if (!stream_.Read(&request)) return;
      Take(request);
      while (credits_ > 0 && !waiting_.empty()) SendFrame();
    }
    Send(stream_, Totals(chunks.size(), frames_));
  }

 private:
  struct WaitingFrame {
    std::uint64_t chunk_seq;
    std::int64_t chunk_bytes;
    int chunk_frames;
    bool is_last;
  };

  void Take(const v1::DecodeRequest& request) {
    if (request.has_end()) has_ended_ = true;
    if (request.has_credit()) {
      credits_ += request.credit().frames();
      if (credits_ > window_) violations.push_back("more frame credits than the window");
    }
    if (!request.has_latent_chunk()) return;
    const v1::LatentChunk& chunk = request.latent_chunk();
    const auto bytes = static_cast<std::int64_t>(chunk.payload().size());
    if (--chunk_credits_ < 0) violations.push_back("a chunk without a credit");
    if ((byte_credits_ -= bytes) < 0) violations.push_back("bytes without a credit");
    if (has_ended_) violations.push_back("a chunk after End");
    const int count = chunk.latents() * 4 - (chunks.empty() ? 3 : 0);
    chunks.push_back(chunk.latents());
    for (int i = 0; i < count; ++i) {
      waiting_.push_back({chunk.chunk_seq(), bytes, count, i == count - 1});
    }
  }

  void SendFrame() {
    const WaitingFrame frame = waiting_.front();
    waiting_.pop_front();
    --credits_;
    Send(stream_, Fragment(frames_++, frame.chunk_seq, 0, 1, kFrameBytes, 'a', frame.is_last));
    if (!frame.is_last) return;
    const auto first = frames_ - static_cast<std::uint64_t>(frame.chunk_frames);
    Send(stream_, Done(frame.chunk_seq, first, frame.chunk_frames));
    v1::InputCredit credit;
    credit.set_chunks(1);
    credit.set_bytes(frame.chunk_bytes);
    ++chunk_credits_;
    byte_credits_ += frame.chunk_bytes;
    Send(stream_, credit);
  }

  Stream& stream_;
  std::deque<WaitingFrame> waiting_;
  int window_ = 0;
  int credits_ = 0;
  int chunk_credits_ = 0;
  std::int64_t byte_credits_ = 0;
  std::uint64_t frames_ = 0;
  bool has_ended_ = false;
};

// What the server saw of a session of so many latents, handed over `at_once` at a time.
struct Seen {
  std::vector<std::string> violations;
  std::vector<int> chunks;
  std::uint64_t frames = 0;  // that the client got
};

Seen Decode(int frame_credits, int latents, int at_once, const SessionOptions& options = {}) {
  Seen seen;
  // Ends, and so has written `seen`, when it is destroyed.
  auto server = std::make_unique<ScriptedServer>([&seen](grpc::ServerContext&, Stream& stream) {
    CountingServer counting(stream);
    counting.Serve();
    seen.violations = counting.violations;
    seen.chunks = counting.chunks;
    return grpc::Status::OK;
  });
  v1::Open open = SmallOpen();
  open.mutable_delivery()->set_mode(v1::DELIVERY_MODE_BLOCK);
  open.mutable_delivery()->set_initial_frame_credits(frame_credits);
  const auto session = DecodeClient({.server = server->address()}).Open(open, options);
  int sent = 0;
  for (;;) {
    while (sent < latents && session->has_room()) {
      const int count = std::min(at_once, latents - sent);
      session->SendChunk(count, std::string(static_cast<std::size_t>(kLatentBytes * count), 'x'));
      sent += count;
      if (sent == latents) session->End();
    }
    const Event event = session->Next();
    if (std::holds_alternative<Frame>(event)) {
      ++seen.frames;
      if (!options.consumes_by_itself) session->FramesConsumed(1);
    }
    if (std::holds_alternative<v1::Summary>(event)) break;
  }
  server.reset();
  return seen;
}

TEST(SessionCredits, AreNeverExceededEitherWayAndNeverStall) {
  for (const int frame_credits : {1, 2, 7, 64}) {
    for (const int at_once : {1, 2, 3, 5, 20}) {
      const Seen seen = Decode(frame_credits, 20, at_once);
      EXPECT_EQ(seen.violations, std::vector<std::string>());
      EXPECT_EQ(seen.frames, 77u) << frame_credits << " credits, " << at_once << " at once";
    }
  }
}

TEST(SessionCredits, LatentsAboveTheLimitOfAChunkAreSplit) {
  EXPECT_EQ(Decode(16, 10, 7).chunks, (std::vector<int>{3, 3, 1, 3}));
}

TEST(SessionCredits, AMessageLimitOfTheClientSplitsToo) {
  SessionOptions options;
  options.max_message_bytes = 2 * kLatentBytes + 128;
  EXPECT_EQ(Decode(16, 5, 5, options).chunks, (std::vector<int>{2, 2, 1}));
}

TEST(SessionCredits, AreGrantedByAPlayerWhereItWantsThat) {
  SessionOptions options;
  options.consumes_by_itself = false;
  const Seen seen = Decode(2, 5, 2, options);
  EXPECT_EQ(seen.violations, std::vector<std::string>());
  EXPECT_EQ(seen.frames, 17u);
}

TEST(SessionCredits, AFrameWithoutOneIsRefused) {
  const ScriptedServer server([](grpc::ServerContext&, Stream& stream) {
    AdmitWithCredits(stream);
    ReadUntil(stream, v1::DecodeRequest::kLatentChunk);
    for (std::uint64_t i = 0; i < 3; ++i) {
      Send(stream, Fragment(i, 0, 0, 1, kFrameBytes, 'a', false));
    }
    return grpc::Status::OK;
  });
  v1::Open open = SmallOpen();
  open.mutable_delivery()->set_initial_frame_credits(2);
  SessionOptions options;
  options.consumes_by_itself = false;
  const auto session = DecodeClient({.server = server.address()}).Open(open, options);
  session->SendChunk(2, std::string(2 * kLatentBytes, 'x'));
  EXPECT_TRUE(std::holds_alternative<Frame>(session->Next()));
  EXPECT_TRUE(std::holds_alternative<Frame>(session->Next()));
  try {
    session->Next();
    FAIL();
  } catch (const DecodeError& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kProtocol);
    EXPECT_NE(std::string(error.what()).find("without a credit"), std::string::npos);
  }
}

}  // namespace
}  // namespace causeway::client
