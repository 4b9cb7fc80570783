// SPDX-License-Identifier: Apache-2.0
#include "client/cli/latent_dtype.h"

#include <cmath>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

namespace causeway::cli {
namespace {

std::string Elements(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

// These are exact in all three types.
const std::vector<float> kExact{0.0f, -1.0f, 0.5f, 96.0f, -0.0078125f};

TEST(LatentDtype, KeepsValuesThatEveryTypeHas) {
  for (const v1::Dtype dtype : {v1::DTYPE_F16, v1::DTYPE_BF16, v1::DTYPE_F32}) {
    const std::string there = ConvertDtype(Elements(kExact), v1::DTYPE_F32, dtype);
    EXPECT_EQ(there.size(), kExact.size() * static_cast<std::size_t>(DtypeBytes(dtype)));
    EXPECT_EQ(ConvertDtype(there, dtype, v1::DTYPE_F32), Elements(kExact));
  }
}

TEST(LatentDtype, WritesLittleEndianBits) {
  EXPECT_EQ(ConvertDtype(Elements({1.0f}), v1::DTYPE_F32, v1::DTYPE_F16),
            std::string("\x00\x3c", 2));
  EXPECT_EQ(ConvertDtype(Elements({1.0f}), v1::DTYPE_F32, v1::DTYPE_BF16),
            std::string("\x80\x3f", 2));
}

TEST(LatentDtype, LeavesNanForTheServerToRefuse) {
  const std::string half = ConvertDtype(Elements({std::nanf("")}), v1::DTYPE_F32, v1::DTYPE_F16);
  const std::string back = ConvertDtype(half, v1::DTYPE_F16, v1::DTYPE_F32);
  float value = 0;
  std::memcpy(&value, back.data(), sizeof value);
  EXPECT_TRUE(std::isnan(value));
}

}  // namespace
}  // namespace causeway::cli
