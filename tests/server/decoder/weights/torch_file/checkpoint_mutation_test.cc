// SPDX-License-Identifier: Apache-2.0
// Spoiled checkpoints, thousands of them: whatever is in a file, it is refused in one line, or
// every byte of its tensors can be read. Sanitizers see the rest.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "server/decoder/weights/torch_file/checkpoint.h"
#include "server/decoder/weights/torch_file/pickle.h"
#include "tests/support/test_folder.h"
#include "tests/support/torch_files.h"

namespace causeway::decoder {
namespace {

using namespace std::string_view_literals;

constexpr char kFolder[] = CAUSEWAY_SOURCE_DIR "/tests/golden/torch_files/";

std::vector<std::string> Seeds() {
  std::vector<std::string> seeds{test::Checkpoint(test::TensorPickle())};
  for (const char* name : {"edges", "module", "nested", "nested_model", "shared"}) {
    std::ifstream file(kFolder + std::string(name) + ".pth", std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return seeds;
}

class Mutator {
 public:
  explicit Mutator(unsigned seed) : random_(seed) {}

  std::string Mutate(std::string bytes) {
    for (std::size_t i = Below(3) + 1; i > 0; --i) MutateOnce(bytes);
    return bytes;
  }

  std::size_t Below(std::size_t limit) { return random_() % std::max<std::size_t>(limit, 1); }

 private:
  void MutateOnce(std::string& bytes) {
    // What has a meaning somewhere: opcodes, signatures, extreme lengths.
    static constexpr std::string_view kBytes = "\0\1\2\x7F\x80\xFF(.)}]tuseaRQbchjqrKMJXGN"sv;
    const std::size_t at = Below(bytes.size());
    const std::size_t size = std::min<std::size_t>(Below(8) + 1, bytes.size() - at);
    switch (Below(7)) {
      case 0:
        bytes[at] = static_cast<char>(Below(256));
        break;
      case 1:
        bytes[at] = kBytes[Below(kBytes.size())];
        break;
      case 2:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << Below(8)));
        break;
      case 3:
        bytes.erase(at, size);
        break;
      case 4:
        bytes.insert(at, bytes.substr(Below(bytes.size()), size));
        break;
      case 5:
        bytes.replace(at, size, bytes.substr(Below(bytes.size()), size));
        break;
      default:
        bytes.replace(at, size, std::string(size, '\xFF'));
        break;
    }
  }

  std::mt19937 random_;
};

TEST(CheckpointMutation, RefusesOrReadsEveryFile) {
  constexpr int kRounds = 20000;
  const std::vector<std::string> seeds = Seeds();
  Mutator mutator(20240607);
  int refused = 0;
  for (int i = 0; i < kRounds; ++i) {
    const std::string bytes = mutator.Mutate(seeds[mutator.Below(seeds.size())]);
    unsigned sum = 0;
    const std::string message = test::FileErrorOf([&] {
      for (const auto& [name, view] : ReadCheckpoint("x.pth", std::as_bytes(std::span(bytes)))) {
        const std::int64_t size = ElementCount(view.shape).value() * TensorDtypeBytes(view.dtype);
        EXPECT_EQ(static_cast<std::int64_t>(view.bytes.size()), size);
        for (const std::byte byte : view.bytes) sum += std::to_integer<unsigned>(byte);
      }
    });
    if (message.empty()) continue;
    EXPECT_TRUE(message.starts_with("x.pth: ")) << message;
    EXPECT_LT(message.size(), 600u) << message;
    ++refused;
  }
  // Values, dates and checksums may be anything: those files stay readable.
  EXPECT_GT(refused, kRounds / 3);
  EXPECT_LT(refused, kRounds);
}

// The pickle alone: no zip directory refuses it before it is looked at.
TEST(CheckpointMutation, RefusesOrReadsEveryPickle) {
  constexpr int kRounds = 20000;
  constexpr std::string_view kGlobals[] = {"torch._utils._rebuild_tensor_v2", "torch.FloatStorage"};
  const std::string tensor = test::TensorPickle().Bytes();
  const std::string seed = test::pickle::Start() + "}" + std::string("q\0", 2) +
                           test::pickle::Dict(test::pickle::Text("a") + tensor +
                                              test::pickle::Text("b") + std::string("h\0", 2)) +
                           "\x86.";
  Mutator mutator(8);
  int refused = 0;
  for (int i = 0; i < kRounds; ++i) {
    const std::string bytes = mutator.Mutate(seed);
    try {
      const Pickle pickle = ReadPickle(std::as_bytes(std::span(bytes)), kGlobals);
      EXPECT_LT(pickle.root, pickle.values.size());
      EXPECT_LE(pickle.values.size(), bytes.size());
    } catch (const PickleError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, kRounds / 3);
  EXPECT_LT(refused, kRounds);
}

}  // namespace
}  // namespace causeway::decoder
