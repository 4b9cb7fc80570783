// SPDX-License-Identifier: Apache-2.0
#include "client/lib/decode_client.h"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "tests/client/lib/scripted_server.h"

namespace causeway::client {
namespace {

using Stream = ScriptedServer::Stream;

constexpr std::size_t kLatentBytes = 32;
constexpr std::size_t kFrameBytes = 768;

std::unique_ptr<DecodeSession> OpenAt(const std::string& address) {
  ClientOptions options;
  options.server = address;
  return DecodeClient(options).Open(SmallOpen());
}

std::string Payload(int count) { return std::string(kLatentBytes * count, '\0'); }

// Reads events until one of type T comes.
template <typename T>
T WaitFor(DecodeSession& session) {
  for (;;) {
    Event event = session.Next();
    if (T* found = std::get_if<T>(&event)) return std::move(*found);
  }
}

// Sends one latent to a server that answers with `answer` and expects Next() to refuse it.
void ExpectAnswerRefused(const std::function<void(Stream&)>& answer, const std::string& word) {
  ScriptedServer server([&answer](grpc::ServerContext&, Stream& stream) {
    Admit(stream);
    v1::DecodeRequest request;
    stream.Read(&request);
    answer(stream);
    return grpc::Status::OK;
  });
  const auto session = OpenAt(server.address());
  session->SendChunk(1, Payload(1));
  session->End();
  try {
    WaitFor<v1::Summary>(*session);
    FAIL() << "accepted";
  } catch (const DecodeError& error) {
    EXPECT_EQ(error.code(), "DATA_LOSS");
    EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
  }
}

TEST(DecodeClient, DeliversEveryFrameInOrderWhateverTheFragmentsAndChunks) {
  for (const int fragments : {1, 2, 5}) {
    ScriptedServer server([fragments](grpc::ServerContext&, Stream& stream) {
      return ServeHonestly(stream, fragments);
    });
    const auto session = OpenAt(server.address());
    std::vector<int> chunks{1, 3, 2, 1, 3};
    std::size_t next = 0;
    std::uint64_t frames = 0;
    std::uint64_t done = 0;
    bool is_over = false;
    bool has_ended = false;
    while (!is_over) {
      while (next < chunks.size() && session->has_room()) {
        EXPECT_EQ(session->SendChunk(chunks[next], Payload(chunks[next])), next);
        ++next;
      }
      if (next == chunks.size() && !has_ended) {
        session->End();
        has_ended = true;
      }
      Event event = session->Next();
      if (const Frame* frame = std::get_if<Frame>(&event)) {
        EXPECT_EQ(frame->index, frames);
        EXPECT_EQ(frame->pixels, std::string(kFrameBytes, static_cast<char>(frames)));
        ++frames;
      } else if (const auto* chunk = std::get_if<v1::ChunkDone>(&event)) {
        EXPECT_EQ(chunk->chunk_seq(), done++);
      } else {
        is_over = std::get<v1::Summary>(event).frames() == frames;
        ASSERT_TRUE(is_over);
      }
    }
    EXPECT_EQ(frames, 37u);
    EXPECT_EQ(done, chunks.size());
  }
}

TEST(DecodeClient, RefusesChunksThatBreakALimitBeforeSendingThem) {
  ScriptedServer server(
      [](grpc::ServerContext&, Stream& stream) { return ServeHonestly(stream, 1); });
  const auto session = OpenAt(server.address());
  EXPECT_THROW(session->SendChunk(0, ""), DecodeError);
  try {
    session->SendChunk(2, Payload(1));
    FAIL();
  } catch (const DecodeError& error) {
    EXPECT_EQ(error.reason(), "PAYLOAD_SIZE_MISMATCH");
    EXPECT_EQ(error.got(), "32 bytes");
    EXPECT_EQ(error.allowed(), "64 bytes");
  }
  // Nothing went over the wire: the session still counts from chunk 0.
  EXPECT_EQ(session->SendChunk(1, Payload(1)), 0u);
  session->End();
  EXPECT_EQ(WaitFor<v1::Summary>(*session).chunks(), 1u);
}

TEST(DecodeClient, RefusesToSendMoreChunksThanMayBePending) {
  ScriptedServer server(
      [](grpc::ServerContext&, Stream& stream) { return ServeHonestly(stream, 1); });
  const auto session = OpenAt(server.address());
  session->SendChunk(1, Payload(1));
  session->SendChunk(1, Payload(1));
  EXPECT_FALSE(session->has_room());
  EXPECT_THROW(session->SendChunk(1, Payload(1)), std::logic_error);
}

TEST(DecodeClient, HandsOutChunkErrorsAndLetsTheChunkBeSentAgain) {
  ScriptedServer server([](grpc::ServerContext&, Stream& stream) {
    Admit(stream);
    v1::DecodeRequest request;
    stream.Read(&request);
    v1::ChunkError refused;
    refused.set_reason("NON_FINITE_LATENT");
    refused.set_message("NaN in channel 3");
    Send(stream, refused);
    stream.Read(&request);
    const std::uint64_t chunk_seq = request.latent_chunk().chunk_seq();
    Send(stream, Fragment(0, chunk_seq, 0, 1, kFrameBytes, 'a', true));
    Send(stream, Done(chunk_seq, 0, 1));
    stream.Read(&request);
    Send(stream, Totals(1, 1));
    return grpc::Status::OK;
  });
  const auto session = OpenAt(server.address());
  EXPECT_EQ(session->SendChunk(1, Payload(1)), 0u);
  const auto error = WaitFor<v1::ChunkError>(*session);
  EXPECT_EQ(error.reason(), "NON_FINITE_LATENT");
  EXPECT_EQ(session->SendChunk(1, Payload(1)), 0u);
  session->End();
  EXPECT_EQ(WaitFor<v1::Summary>(*session).frames(), 1u);
}

TEST(DecodeClient, TurnsAnEarlyStatusIntoATypedError) {
  ScriptedServer server([](grpc::ServerContext&, Stream&) {
    google::rpc::ErrorInfo info;
    info.set_reason("UNKNOWN_MODEL");
    (*info.mutable_metadata())["got"] = "small";
    google::rpc::Status details;
    details.add_details()->PackFrom(info);
    return grpc::Status(grpc::StatusCode::NOT_FOUND, "model: got small",
                        details.SerializeAsString());
  });
  try {
    OpenAt(server.address());
    FAIL();
  } catch (const DecodeError& error) {
    EXPECT_EQ(error.code(), "NOT_FOUND");
    EXPECT_EQ(error.reason(), "UNKNOWN_MODEL");
    EXPECT_EQ(error.got(), "small");
  }
}

TEST(DecodeClient, DeliversTheFramesThatCameBeforeAFailure) {
  ScriptedServer server([](grpc::ServerContext&, Stream& stream) {
    Admit(stream);
    v1::DecodeRequest request;
    stream.Read(&request);
    Send(stream, Fragment(0, 0, 0, 1, kFrameBytes, 'a', true));
    return grpc::Status(grpc::StatusCode::INTERNAL, "the decoder failed");
  });
  const auto session = OpenAt(server.address());
  session->SendChunk(1, Payload(1));
  EXPECT_EQ(WaitFor<Frame>(*session).index, 0u);
  // The stream is gone: sending is harmless and the error stays to be read.
  session->SendChunk(1, Payload(1));
  try {
    WaitFor<v1::Summary>(*session);
    FAIL();
  } catch (const DecodeError& error) {
    EXPECT_EQ(error.code(), "INTERNAL");
    EXPECT_STREQ(error.what(), "the decoder failed");
  }
}

TEST(DecodeClient, ReportsAServerThatVanishesInMidStream) {
  auto server = std::make_unique<ScriptedServer>([](grpc::ServerContext& context, Stream& stream) {
    Admit(stream);
    v1::DecodeRequest request;
    while (!context.IsCancelled() && stream.Read(&request)) {
    }
    return grpc::Status::OK;
  });
  const auto session = OpenAt(server->address());
  session->SendChunk(1, Payload(1));
  std::thread killer([&server] { server.reset(); });
  try {
    WaitFor<v1::Summary>(*session);
    ADD_FAILURE() << "a Summary from nowhere";
  } catch (const DecodeError& error) {
    EXPECT_TRUE(error.code() == "UNAVAILABLE" || error.code() == "CANCELLED") << error.code();
  }
  killer.join();
}

TEST(DecodeClient, FailsAtOnceWhereNoServerListens) {
  std::string address;
  {
    ScriptedServer gone([](grpc::ServerContext&, Stream&) { return grpc::Status::OK; });
    address = gone.address();
  }
  try {
    OpenAt(address);
    FAIL();
  } catch (const DecodeError& error) {
    EXPECT_EQ(error.code(), "UNAVAILABLE");
    EXPECT_NE(std::string(error.what()).find("onnect"), std::string::npos) << error.what();
  }
}

TEST(DecodeClient, CancelEndsAWaitingNext) {
  ScriptedServer server([](grpc::ServerContext& context, Stream& stream) {
    Admit(stream);
    v1::DecodeRequest request;
    while (!context.IsCancelled() && stream.Read(&request)) {
    }
    return grpc::Status::OK;
  });
  const auto session = OpenAt(server.address());
  std::thread other([&session] { session->Cancel(); });
  try {
    session->Next();
    ADD_FAILURE();
  } catch (const DecodeError& error) {
    EXPECT_EQ(error.code(), "CANCELLED");
  }
  other.join();
}

TEST(DecodeClient, RefusesAFirstMessageThatIsNotAWholeOpened) {
  for (const int missing : {0, 1, 2, 3}) {
    ScriptedServer server([missing](grpc::ServerContext&, Stream& stream) {
      v1::DecodeResponse response;
      v1::Opened& opened = *response.mutable_opened();
      opened = SmallOpened();
      if (missing == 0) response.mutable_summary();
      if (missing == 1) opened.set_frame_bytes(std::int64_t{1} << 60);
      if (missing == 2) opened.clear_limits();
      if (missing == 3) opened.clear_frame_rule();
      stream.Write(response);
      return grpc::Status::OK;
    });
    EXPECT_THROW(OpenAt(server.address()), DecodeError) << missing;
  }
}

TEST(DecodeClient, RefusesAGapInTheFrames) {
  ExpectAnswerRefused(
      [](Stream& stream) { Send(stream, Fragment(1, 0, 0, 1, kFrameBytes, 'a', true)); },
      "expected frame 0");
}

TEST(DecodeClient, RefusesAFrameCountThatTheRuleDoesNotGive) {
  ExpectAnswerRefused(
      [](Stream& stream) { Send(stream, Fragment(0, 0, 0, 1, kFrameBytes, 'a', false)); },
      "number 1 of the 1");
}

TEST(DecodeClient, RefusesAChunkDoneInsideAFrame) {
  ExpectAnswerRefused(
      [](Stream& stream) {
        Send(stream, Fragment(0, 0, 0, 2, kFrameBytes / 2, 'a', true));
        Send(stream, Done(0, 0, 1));
      },
      "0 of 1 have come");
}

TEST(DecodeClient, RefusesAnEndWithoutSummary) {
  ExpectAnswerRefused([](Stream&) {}, "without Summary");
}

TEST(DecodeClient, RefusesMessagesAfterSummary) {
  ExpectAnswerRefused(
      [](Stream& stream) {
        Send(stream, Fragment(0, 0, 0, 1, kFrameBytes, 'a', true));
        Send(stream, Done(0, 0, 1));
        Send(stream, Totals(1, 1));
        Send(stream, Totals(1, 1));
      },
      "after Summary");
}

// What a server holds, as a whole one tells it.
class DescribedServer {
 public:
  DescribedServer() {
    server_.describe([](v1::ListModelsResponse& models, v1::ServerInfo& info) {
      models.add_models()->set_name("a");
      models.add_models()->set_name("b");
      info.set_version("1.2.3");
    });
  }
  const std::string& address() const { return server_.address(); }

 private:
  ScriptedServer server_{[](grpc::ServerContext&, Stream&) { return grpc::Status::OK; }};
};

TEST(DecodeClient, AsksWhatTheServerHolds) {
  const DescribedServer server;
  DecodeClient client({.server = server.address()});
  const std::vector<v1::Model> models = client.ListModels();
  ASSERT_EQ(models.size(), 2u);
  EXPECT_EQ(models[1].name(), "b");
  EXPECT_EQ(client.GetModel("b").name(), "b");
  EXPECT_EQ(client.GetServerInfo().version(), "1.2.3");
  try {
    client.GetModel("c");
    FAIL();
  } catch (const DecodeError& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kBadRequest);
  }
}

TEST(DecodeClient, SaysThatAFirstVersionServerTellsNothingOfItself) {
  const ScriptedServer server([](grpc::ServerContext&, Stream&) { return grpc::Status::OK; });
  DecodeClient client({.server = server.address()});
  const auto expect_unknown = [](const auto& call) {
    try {
      call();
      FAIL();
    } catch (const DecodeError& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kNotImplemented) << error.what();
    }
  };
  expect_unknown([&client] { client.ListModels(); });
  expect_unknown([&client] { client.GetModel("a"); });
  expect_unknown([&client] { client.GetServerInfo(); });
}

TEST(DecodeClient, PassesOverKindsOfMessageThatItDoesNotKnow) {
  ScriptedServer server([](grpc::ServerContext&, Stream& stream) {
    Admit(stream);
    stream.Write(v1::DecodeResponse());
    v1::DecodeRequest request;
    stream.Read(&request);
    Send(stream, Totals(0, 0));
    return grpc::Status::OK;
  });
  const auto session = OpenAt(server.address());
  session->End();
  EXPECT_EQ(WaitFor<v1::Summary>(*session).frames(), 0u);
}

}  // namespace
}  // namespace causeway::client
