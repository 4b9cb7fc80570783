// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/primitives/every_primitive.cuh"

#include "tests/kernels/simt/simt_test_support.h"

namespace causeway::kernels::simt {
namespace {

TEST(EveryPrimitive, OfTheFirstArchitectureRunsOnTheHost) {
  TestBuffer<unsigned char> input(1024, 0, "input", Access::kRead);
  TestBuffer<uint32_t> output(64, 0xffffffffu);
  TestBuffer<int> counter(1, 0);
  ExpectRuns(
      {.grid_blocks = 2, .block_threads = 64, .dynamic_shared_bytes = 4096},
      [&] { portable_primitives_kernel(input.data(), output.data(), counter.data()); },
      [&] {
        EXPECT_EQ(std::exchange(counter[0], 0), 64 * (1 + 2));
        for (size_t i = 0; i < 64; ++i) EXPECT_NE(output[i], 0xffffffffu) << i;
      });
}

TEST(EveryPrimitive, OfHopperRunsOnTheHost) {
  TestBuffer<unsigned char> source(8192, 0, "source", Access::kRead);
  TestBuffer<float> output(256, -1.0f);
  TileMaps maps;
  std::vector<int64_t> extent = {8192};
  std::vector<int64_t> strides;
  std::vector<int> box = {128};
  for (TensorMap& map : maps.of_rank) {
    map = MakeTensorMap(source.data(), 1, extent, strides, box);
    extent.push_back(1);
    strides.push_back(8192);
    box.push_back(1);
  }
  ExpectRuns(
      {.grid_blocks = 2, .block_threads = 128, .cluster_blocks = 2, .dynamic_shared_bytes = 16384},
      [&] { hopper_primitives_kernel(maps, source.data(), output.data()); },
      [&] {
        for (size_t i = 0; i < 256; ++i) EXPECT_EQ(output[i], 0.0f) << i;
      });
}

}  // namespace
}  // namespace causeway::kernels::simt
