// SPDX-License-Identifier: Apache-2.0
// The built program: what it prints where, and its exit status.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>
#include <sys/wait.h>

#include "tests/support/test_folder.h"

namespace causeway::bench {
namespace {

using test::TestFolder;

const std::string kDemo = std::string(CAUSEWAY_SOURCE_DIR) + "/deploy/demo/";
const std::string kRun = "run --threads 1 --model '" + kDemo + "model' ";
const std::string kRunCorner = kRun + "--latents '" + kDemo + "corner64.safetensors' ";

struct Outcome {
  int status = -1;
  std::string out;
  std::string error;
};

std::string ReadAll(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class Program : public testing::Test {
 protected:
  /// `flags`: words of a shell command line.
  Outcome Call(const std::string& flags) const {
    const std::string out = folder_.Path("standard_output");
    const std::string error = folder_.Path("standard_error");
    const std::string command =
        std::string("'" CAUSEWAY_BENCH "' ") + flags + " >'" + out + "' 2>'" + error + "'";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, ReadAll(out), ReadAll(error)};
  }

  void ExpectRefusal(const std::string& flags, int status, const std::string& message) const {
    const Outcome outcome = Call(flags);
    EXPECT_EQ(outcome.status, status) << flags;
    EXPECT_EQ(outcome.out, "") << flags;
    EXPECT_EQ(std::count(outcome.error.begin(), outcome.error.end(), '\n'), 1) << outcome.error;
    EXPECT_TRUE(outcome.error.starts_with("causeway-bench: ")) << outcome.error;
    EXPECT_NE(outcome.error.find(message), std::string::npos) << outcome.error;
  }

  const TestFolder folder_;
};

TEST_F(Program, HelpComesOnStandardOutput) {
  const Outcome outcome = Call("--help");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.error, "");
  for (const std::string command : {"run", "explain", "size"}) {
    EXPECT_NE(outcome.out.find("\n  " + command), std::string::npos) << outcome.out;
    const Outcome help = Call(command + " --help");
    EXPECT_EQ(help.status, 0);
    EXPECT_NE(help.out.find("--model"), std::string::npos) << help.out;
    EXPECT_NE(help.out.find("--json"), std::string::npos) << help.out;
  }
}

TEST_F(Program, ExplainsAndSizesABuiltInModel) {
  const Outcome explained = Call("explain --model wan2.1 --geometry 704x1280");
  EXPECT_EQ(explained.status, 0) << explained.error;
  EXPECT_NE(explained.out.find("first latent, 704x1280: 1 frame"), std::string::npos);
  EXPECT_NE(explained.out.find("9,989.9"), std::string::npos);
  EXPECT_NE(explained.out.find("later latent, 704x1280: 4 frames"), std::string::npos);
  EXPECT_NE(explained.out.find("30,743.9"), std::string::npos);
  const Outcome sized = Call("size --model lightvae --geometry 480x832 --memory 24GiB --json");
  EXPECT_EQ(sized.status, 0) << sized.error;
  EXPECT_NE(sized.out.find("\"memory_bytes\": 25769803776"), std::string::npos) << sized.out;
}

TEST_F(Program, PredictsTheConvolutionsOfADevice) {
  const Outcome plan = Call("explain --device-peaks h200 --model wan2.1 --geometry 704x320");
  EXPECT_EQ(plan.status, 0) << plan.error;
  EXPECT_TRUE(plan.out.starts_with("h200 (sm_90, 132 multiprocessors at 1.83 GHz)")) << plan.out;
  EXPECT_NE(plan.out.find("96->96 3x3x3 4x704x320"), std::string::npos);
  EXPECT_NE(plan.out.find("convolutions with a prediction"), std::string::npos);
  const Outcome seed = Call("explain --device-peaks h200 --json");
  EXPECT_EQ(seed.status, 0) << seed.error;
  EXPECT_NE(seed.out.find("\"seed_row\": 0.003678"), std::string::npos) << seed.out;
}

TEST_F(Program, SizesAModelOnDisk) {
  const Outcome sized = Call("size --model '" + kDemo + "model' --geometry 64x64");
  EXPECT_EQ(sized.status, 0) << sized.error;
  EXPECT_NE(sized.out.find("base width 16"), std::string::npos) << sized.out;
}

TEST_F(Program, RefusesAWrongCommandLineWithStatusTwo) {
  ExpectRefusal("", 2, "no command, allowed: run, explain, size, --help");
  ExpectRefusal("decode", 2, "unknown command 'decode', allowed: run, explain, size, --help");
  ExpectRefusal("explain --model wan2.1", 2, "--geometry: missing, required: --geometry HxW");
  ExpectRefusal("explain --geometry 64x64", 2, "--model: missing, required: --model ");
  ExpectRefusal("explain --device-peaks h300", 2,
                "--device-peaks: got 'h300', allowed: h200, h100, a100");
  ExpectRefusal("explain --device-peaks h200 --geometry 64x64", 2,
                "--geometry: allowed only with --model");
  ExpectRefusal("explain --device-peaks h200 --model wan2.1", 2, "--geometry: missing, required: ");
  ExpectRefusal("explain --model wan3 --geometry 64x64", 2,
                "--model: got 'wan3', allowed: wan2.1, lightvae, or the path of");
  ExpectRefusal("explain --model wan2.1 --geometry 64x64 --phase second", 2,
                "--phase: got 'second', allowed: both, first, later");
  ExpectRefusal("size --model wan2.1 --geometry 64x65", 2, "--geometry: got '64x65', allowed: ");
  ExpectRefusal(kRun, 2, "--latents: missing, required: --latents FILE, or --geometry HxW");
  ExpectRefusal(kRunCorner + "--geometry 64x64", 2, "--geometry: not allowed with --latents");
  ExpectRefusal(kRunCorner + "--count 3", 2, "--count: allowed only with --geometry");
  ExpectRefusal(kRun + "--geometry 64x64 --axes tchw", 2, "--axes: allowed only with --latents");
  ExpectRefusal(kRunCorner + "--backend gpu", 2, "--backend: got 'gpu', allowed: reference");
  ExpectRefusal("run --model m --geometry 64x64 --threads -1", 2,
                "--threads: got '-1', allowed: an integer from 0");
  ExpectRefusal(kRunCorner + "--format png", 2,
                "--format: got 'png', allowed: rgb24, i420, nv12, f16, f32");
  ExpectRefusal(kRunCorner + "--domain scaled", 2,
                "--domain: got 'scaled', allowed: normalised, raw");
  ExpectRefusal(kRunCorner + "--chunks 1,3", 2,
                "--chunks: got 1,3 (4 latents), allowed: chunks that sum to the 3 latents");
}

TEST_F(Program, RefusesAWrongFileWithStatusOne) {
  ExpectRefusal("run --model nowhere --geometry 64x64", 1, "nowhere: no such file or folder");
  ExpectRefusal(kRun + "--latents nowhere", 1, "nowhere: no such file");
  ExpectRefusal(kRun + "--latents " + folder_.Write("text", "latents, honestly"), 1,
                "is not a safetensors file");
  const std::string whole = ReadAll(kDemo + "corner64.safetensors");
  ExpectRefusal(kRun + "--latents " + folder_.Write("cut", whole.substr(0, whole.size() / 2)), 1,
                folder_.Path("cut") + ": ");
  ExpectRefusal(kRunCorner + "--key z", 1, "key: got 'z', allowed: 'frames', 'latents'");
  ExpectRefusal(kRunCorner + "--key frames", 1,
                "'frames': got shape [3, 9, 64, 64] (3 channels), allowed: [16, T, h, w]");
  ExpectRefusal(kRunCorner + "--axes tchw", 1,
                "'latents': got shape [16, 3, 8, 8] (3 channels), allowed: [T, 16, h, w]");
}

TEST_F(Program, SaysThatTheFramesCannotBeWritten) {
  const std::string out = folder_.Path("no/frames.safetensors");
  ExpectRefusal(kRunCorner + "--out " + out, 1, out + ": cannot be written: No such file");
}

// A file size limit of 64 KiB stands for a disk that is full: 9 frames of 64x64 take 432 KiB.
TEST_F(Program, LeavesNoFileBehindOnADiskThatIsFull) {
  const std::string out = folder_.Path("frames.safetensors");
  const std::string command = std::string("trap '' XFSZ; ulimit -f 64; '" CAUSEWAY_BENCH "' ") +
                              kRunCorner + "--format f32 --out " + out + " >/dev/null 2>'" +
                              folder_.Path("error") + "'";
  const int status = std::system(("bash -c \"" + command + "\"").c_str());
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 1);
  const std::string error = ReadAll(folder_.Path("error"));
  EXPECT_NE(error.find(out + ": cannot be written"), std::string::npos) << error;
  EXPECT_EQ(std::count(error.begin(), error.end(), '\n'), 1) << error;
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
    EXPECT_EQ(entry.path().filename(), "error");
  }
}

TEST_F(Program, FailsWhereStandardOutputTakesNoMore) {
  const std::string command =
      std::string("'" CAUSEWAY_BENCH "' size --model wan2.1 --geometry 64x64 >/dev/full 2>'") +
      folder_.Path("error") + "'";
  const int status = std::system(command.c_str());
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 1);
  EXPECT_EQ(ReadAll(folder_.Path("error")), "causeway-bench: standard output: cannot be written\n");
}

}  // namespace
}  // namespace causeway::bench
