// SPDX-License-Identifier: Apache-2.0
// The `causeway` program as its users meet it: what it prints, its exit codes, its files. The
// server is a scripted one in this process.
#include <csignal>
#include <fstream>
#include <future>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "server/base/json.h"
#include "server/base/safetensors.h"
#include "tests/client/cli/program.h"
#include "tests/client/lib/scripted_server.h"

namespace causeway::cli {
namespace {

using client::ScriptedServer;
using Stream = ScriptedServer::Stream;
using Words = std::vector<std::string>;

grpc::Status Honest(grpc::ServerContext&, Stream& stream) {
  return client::ServeHonestly(stream, 3);
}

// The scripted model has 4 channels: 5 latents of 2x2 make 17 frames of 16x16.
class MainTest : public testing::Test {
 protected:
  MainTest() { WriteZeroLatents(latents_, TensorDtype::kF16, {4, 5, 2, 2}); }

  Words Arguments(const std::string& server, const Words& more) const {
    Words words{"decode", "--server", server, "--model", "small", "--latents", latents_};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  ProgramResult Run(const std::string& server, const Words& more = {}) const {
    return Program(folder_, Arguments(server, more)).Wait();
  }

  // Expects one line on stderr that has every part, nothing on stdout and no new file.
  void ExpectRefused(const ProgramResult& result, int exit_code, const Words& parts) const {
    EXPECT_EQ(result.exit_code, exit_code) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_TRUE(result.err.starts_with("causeway: ")) << result.err;
    for (const std::string& part : parts) {
      EXPECT_NE(result.err.find(part), std::string::npos)
          << "no '" << part << "' in " << result.err;
    }
    EXPECT_EQ(FileCount(folder_), files_) << result.err;
  }

  test::TestFolder folder_;
  std::string latents_ = folder_.Path("some latents.safetensors");
  int files_ = 1;  // that a test puts into the folder itself
};

TEST_F(MainTest, DecodesToEveryKindOfFileAndReports) {
  const ScriptedServer server(Honest);
  const Words outputs{folder_.Path("a.mp4"), folder_.Path("a.y4m"), folder_.Path("a.png"),
                      folder_.Path("a.safetensors"), folder_.Path("pictures/")};
  Words more;
  for (const std::string& output : outputs) more.insert(more.end(), {"--out", output});
  const ProgramResult result = Run(server.address(), more);
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_NE(result.out.find("5 latents to 17 frames of 16x16"), std::string::npos) << result.out;
  for (const std::string& output : outputs) {
    EXPECT_TRUE(std::filesystem::exists(output)) << output;
    EXPECT_NE(result.out.find(output), std::string::npos) << output;
  }
  EXPECT_EQ(FileCount(folder_), 6);
  const std::filesystem::directory_iterator pictures(folder_.Path("pictures"));
  EXPECT_EQ(std::distance(pictures, {}), 17);
}

TEST_F(MainTest, KeepsEveryByteOfEveryFrameForAnyChunkSize) {
  const ScriptedServer server(Honest);
  for (const char* chunk : {"1", "2", "3", "100"}) {
    const std::string path = folder_.Path("frames.safetensors");
    const ProgramResult result = Run(server.address(), {"--chunk", chunk, "--out", path});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    const SafetensorsFile file = SafetensorsFile::Open(path);
    const TensorView& frames = *file.Find("frames");
    ASSERT_EQ(frames.shape, (std::vector<std::int64_t>{17, 16, 16, 3}));
    for (std::size_t i = 0; i < frames.bytes.size(); ++i) {
      ASSERT_EQ(std::to_integer<std::size_t>(frames.bytes[i]), i / 768);
    }
  }
}

TEST_F(MainTest, PrintsJson) {
  const ScriptedServer server(Honest);
  const ProgramResult result = Run(server.address(), {"--json"});
  EXPECT_EQ(result.exit_code, 0);
  const JsonValue json = ParseJson(result.out);
  EXPECT_EQ(json.Find("frames")->integer(), 17);
  EXPECT_EQ(json.Find("chunks")->integer(), 2);
  EXPECT_EQ(json.Find("backend")->string()->compare("scripted"), 0);
}

TEST_F(MainTest, SaysWhichFramesTheServerDropped) {
  const ScriptedServer server([](grpc::ServerContext&, Stream& stream) {
    client::AdmitWithCredits(stream);
    client::ReadUntil(stream, v1::DecodeRequest::kEnd);
    for (std::uint64_t i = 0; i < 17; ++i) {
      const std::uint64_t chunk_seq = i < 9 ? 0 : 1;
      if (i == 1 || i == 16) {
        v1::FrameDropped dropped;
        dropped.set_frame_index(i);
        dropped.set_chunk_seq(chunk_seq);
        client::Send(stream, dropped);
      } else {
        client::Send(stream, client::Fragment(i, chunk_seq, 0, 1, 768, 'a', i == 8));
      }
      if (i == 8) client::Send(stream, client::Done(0, 0, 9));
    }
    client::Send(stream, client::Done(1, 9, 8));
    v1::Summary summary = client::Totals(2, 17);
    summary.set_frames_dropped(2);
    client::Send(stream, summary);
    return grpc::Status::OK;
  });
  const std::string pictures = folder_.Path("pictures/");
  const ProgramResult result =
      Run(server.address(), {"--json", "--delivery", "drop-oldest", "--out", pictures});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const JsonValue json = ParseJson(result.out);
  EXPECT_EQ(json.Find("frames")->integer(), 15);
  const auto& dropped = *json.Find("dropped_frames")->array();
  ASSERT_EQ(dropped.size(), 2u);
  EXPECT_EQ(dropped[1].integer(), 16);
  EXPECT_TRUE(std::filesystem::exists(pictures + "000000.png"));
  EXPECT_FALSE(std::filesystem::exists(pictures + "000001.png"));
}

TEST_F(MainTest, FailsWhereTheServerGoesAwayBeforeItTookEverything) {
  const ScriptedServer server([](grpc::ServerContext&, Stream& stream) {
    client::AdmitWithCredits(stream);
    client::ReadUntil(stream, v1::DecodeRequest::kLatentChunk);
    v1::Notice notice;
    notice.set_kind(v1::NOTICE_KIND_GO_AWAY);
    client::Send(stream, notice);
    client::ReadUntil(stream, v1::DecodeRequest::kEnd);
    client::Send(stream, client::Fragment(0, 0, 0, 1, 768, 'a', true));
    client::Send(stream, client::Done(0, 0, 1));
    client::Send(stream, client::Totals(1, 1));
    return grpc::Status::OK;
  });
  ExpectRefused(
      Run(server.address(), {"--chunk", "1", "--pending", "1", "--out", folder_.Path("x.mp4")}), 1,
      {"shutting down", "1 of 5 latents", "DRAINING"});
}

TEST_F(MainTest, ListsTheModelsOfAServer) {
  ScriptedServer server(Honest);
  server.describe([](v1::ListModelsResponse& models, v1::ServerInfo&) {
    models.add_models()->set_name("small");
  });
  const ProgramResult table = Program(folder_, {"models", "--server", server.address()}).Wait();
  EXPECT_EQ(table.exit_code, 0) << table.err;
  EXPECT_NE(table.out.find("small"), std::string::npos) << table.out;
  const ProgramResult json =
      Program(folder_, {"models", "--server", server.address(), "--json"}).Wait();
  EXPECT_EQ(ParseJson(json.out).Find("models")->array()->size(), 1u);
  const ScriptedServer first_version(Honest);
  ExpectRefused(Program(folder_, {"models", "--server", first_version.address()}).Wait(), 1,
                {"UNIMPLEMENTED"});
}

TEST_F(MainTest, SaysInOneLineWhatIsWrongWithTheLatents) {
  const ScriptedServer server(Honest);
  const std::string& address = server.address();
  ExpectRefused(Run(address, {"--key", "z"}), 1, {latents_, "got z", "latents F16 [4, 5, 2, 2]"});
  ExpectRefused(Run(address, {"--axes", "tchw"}), 1, {"got 5 channels", "allowed: 4", "cthw"});
  WriteZeroLatents(latents_, TensorDtype::kF16, {16, 5, 2, 2});
  ExpectRefused(Run(address), 1, {"got 16 channels", "allowed: 4"});
  WriteZeroLatents(latents_, TensorDtype::kI32, {4, 5, 2, 2});
  ExpectRefused(Run(address), 1, {"got type I32", "allowed: F32, F16, BF16"});
  WriteZeroLatents(latents_, TensorDtype::kF16, {4, 5, 2});
  ExpectRefused(Run(address), 1, {"got shape [4, 5, 2]", "allowed: [C, T, h, w]"});
  std::filesystem::resize_file(latents_, std::filesystem::file_size(latents_) - 2);
  ExpectRefused(Run(address), 1, {latents_});
  std::filesystem::remove(latents_);
  files_ = 0;
  ExpectRefused(Run(address), 1, {latents_, "no such file"});
}

TEST_F(MainTest, SaysInOneLineWhatIsWrongWithTheOutputs) {
  const ScriptedServer server(Honest);
  const std::string& address = server.address();
  ExpectRefused(Run(address, {"--out", folder_.Path("x.avi")}), 1, {"got the ending .avi", ".mp4"});
  ExpectRefused(Run(address, {"--out", folder_.Path("none/x.mp4")}), 1,
                {"none/x.mp4", "No such file"});
  const std::string latents_as_video = latents_;
  ExpectRefused(Run(address, {"--source", latents_as_video}), 1, {latents_as_video, "be read"});
  const std::string demo = std::string(CAUSEWAY_SOURCE_DIR) + "/deploy/demo/reference.mkv";
  ExpectRefused(Run(address, {"--reference", demo}), 1, {"got 192x320", "allowed: 16x16"});
}

TEST_F(MainTest, LeavesNoFileWhereTheDiskIsFull) {
  const ScriptedServer server(Honest);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  for (const char* name : {"x.safetensors", "x.y4m"}) {
    const rlimit small{4096, before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
    Program program(folder_, Arguments(server.address(), {"--out", folder_.Path(name)}));
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
    ExpectRefused(program.Wait(), 1, {name, "cannot be written"});
  }
}

TEST_F(MainTest, FailsWhereTheReportCannotBeWritten) {
  const ScriptedServer server(Honest);
  Program program(folder_, Arguments(server.address(), {}), "/dev/full");
  const ProgramResult result = program.Wait();
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.err.find("standard output"), std::string::npos) << result.err;
}

TEST_F(MainTest, SaysThatNoServerIsThere) {
  std::string address;
  {
    const ScriptedServer gone(Honest);
    address = gone.address();
  }
  ExpectRefused(Run(address, {"--out", folder_.Path("x.mp4")}), 1,
                {"no decode server at " + address, "UNAVAILABLE"});
}

TEST_F(MainTest, PassesOnWhatTheServerRefuses) {
  const ScriptedServer server([](grpc::ServerContext&, Stream&) {
    return grpc::Status(grpc::StatusCode::NOT_FOUND, "model: got small, allowed: demo");
  });
  ExpectRefused(Run(server.address(), {"--out", folder_.Path("x.mp4")}), 1,
                {"model: got small, allowed: demo"});
}

TEST_F(MainTest, NamesTheLatentsOfARefusedChunk) {
  const ScriptedServer server([](grpc::ServerContext& context, Stream& stream) {
    client::Admit(stream);
    v1::DecodeRequest request;
    stream.Read(&request);
    stream.Read(&request);
    v1::ChunkError error;
    error.set_chunk_seq(1);
    error.set_reason("NON_FINITE_LATENT");
    error.set_message("latents: got NaN, allowed: finite values");
    client::Send(stream, error);
    while (!context.IsCancelled() && stream.Read(&request)) {
    }
    return grpc::Status::CANCELLED;
  });
  ExpectRefused(Run(server.address(), {"--out", folder_.Path("x.mp4")}), 1,
                {"latents 3 to 4 refused: latents: got NaN", "NON_FINITE_LATENT"});
}

TEST_F(MainTest, LeavesNoFileWhereTheServerFailsInTheMiddle) {
  const ScriptedServer server([](grpc::ServerContext&, Stream& stream) {
    client::Admit(stream);
    v1::DecodeRequest request;
    stream.Read(&request);
    client::Send(stream, client::Fragment(0, 0, 0, 1, 768, 'a', false));
    return grpc::Status(grpc::StatusCode::INTERNAL, "the decoder failed");
  });
  ExpectRefused(
      Run(server.address(), {"--out", folder_.Path("x.mp4"), "--out", folder_.Path("x.png")}), 1,
      {"the decoder failed", "INTERNAL"});
}

TEST_F(MainTest, LeavesNoFileWhenInterrupted) {
  for (const int signal : {SIGINT, SIGTERM}) {
    std::promise<void> is_streaming;
    const ScriptedServer server([&is_streaming](grpc::ServerContext& context, Stream& stream) {
      client::Admit(stream);
      v1::DecodeRequest request;
      stream.Read(&request);
      client::Send(stream, client::Fragment(0, 0, 0, 1, 768, 'a', false));
      is_streaming.set_value();
      while (!context.IsCancelled() && stream.Read(&request)) {
      }
      return grpc::Status::CANCELLED;
    });
    Program program(folder_, Arguments(server.address(), {"--out", folder_.Path("x.mp4")}));
    is_streaming.get_future().wait();
    kill(program.pid(), signal);
    ExpectRefused(program.Wait(), 130, {"interrupted"});
  }
}

TEST_F(MainTest, AnswersWrongUsageWithOneLineAndCode2) {
  ExpectRefused(Program(folder_, {}).Wait(), 2, {"--help"});
  ExpectRefused(Program(folder_, {"encode"}).Wait(), 2, {"--help"});
  ExpectRefused(Program(folder_, {"decode"}).Wait(), 2, {"required"});
  ExpectRefused(Run("localhost:1", {"--axes", "thwc"}), 2, {"--axes", "thwc", "cthw"});
  ExpectRefused(Run("localhost:1", {"--chunk", "0"}), 2, {"--chunk", "0"});
  ExpectRefused(Run("localhost:1", {"--bogus"}), 2, {"--bogus"});
}

TEST_F(MainTest, PrintsHelp) {
  const ProgramResult result = Program(folder_, {"decode", "--help"}).Wait();
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_NE(result.out.find("--latents"), std::string::npos);
}

}  // namespace
}  // namespace causeway::cli
