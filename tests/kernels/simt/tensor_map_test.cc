// SPDX-License-Identifier: Apache-2.0
#include "kernels/simt/tensor_map.h"

#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

namespace causeway::kernels::simt {
namespace {

alignas(16) std::byte memory[256];

void ExpectRefused(const char* text, const std::function<void()>& make) {
  try {
    make();
    FAIL() << text;
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
  }
}

TEST(TensorMap, CountsTheBytesOfItsBox) {
  EXPECT_EQ(MakeTensorMap(memory, 2, {16, 4}, {32}, {8, 3}).BoxBytes(), 48);
}

TEST(TensorMap, RefusesWhatTheEncoderRefuses) {
  ExpectRefused("rank is 6", [] {
    MakeTensorMap(memory, 1, {16, 1, 1, 1, 1, 1}, {16, 16, 16, 16, 16}, {16, 1, 1, 1, 1, 1});
  });
  ExpectRefused("base address", [] { MakeTensorMap(memory + 4, 1, {16}, {}, {16}); });
  ExpectRefused("element size is 3", [] { MakeTensorMap(memory, 3, {16}, {}, {16}); });
  ExpectRefused("extent[1] is 0", [] { MakeTensorMap(memory, 1, {16, 0}, {16}, {16, 1}); });
  ExpectRefused("stride[1] is 24", [] { MakeTensorMap(memory, 1, {16, 2}, {24}, {16, 1}); });
  ExpectRefused("box[0] is 257", [] { MakeTensorMap(memory, 1, {512}, {}, {257}); });
  ExpectRefused("inner box is 8", [] { MakeTensorMap(memory, 1, {16}, {}, {8}); });
  ExpectRefused("number of strides", [] { MakeTensorMap(memory, 1, {16, 2}, {}, {16, 1}); });
  ExpectRefused("inner box is 64",
                [] { MakeTensorMap(memory, 2, {32}, {}, {32}, Swizzle::k128Bytes); });
}

}  // namespace
}  // namespace causeway::kernels::simt
