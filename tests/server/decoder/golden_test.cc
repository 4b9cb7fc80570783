// SPDX-License-Identifier: Apache-2.0
// What diffusers decodes (tests/golden, made by make_golden.py) against every backend of this
// build.
#include <cmath>
#include <cstring>
#include <string>

#include <gtest/gtest.h>

#include "server/base/safetensors.h"
#include "server/decoder/backends/backend_table.h"
#include "server/decoder/decoder.h"
#include "server/decoder/latent.h"

namespace causeway::decoder {
namespace {

struct GoldenCase {
  const char* model;
  const char* file;
  LatentDomain domain;
};

// As manifest.json lists them.
constexpr GoldenCase kCases[] = {
    {"base8", "base8-four-latents", LatentDomain::kRaw},
    {"base4.safetensors", "base4-two-latents", LatentDomain::kNormalised},
    {"base4.safetensors", "base4-one-cell", LatentDomain::kRaw},
};

// Two fp32 decoders in different orders of summation: the tolerance of tests/parity, which also
// says where it comes from.
constexpr double kTolerance = 2e-4;

std::string GoldenPath(const std::string& name) {
  return std::string(CAUSEWAY_SOURCE_DIR) + "/tests/golden/" + name;
}

class Golden : public testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Backends, Golden, testing::ValuesIn(BackendNames()),
                         [](const auto& test) { return test.param; });

TEST_P(Golden, FramesEqualThoseOfDiffusers) {
  for (const GoldenCase& golden : kCases) {
    const Decoder decoder({.model_path = GoldenPath(golden.model), .backend = GetParam()});
    const auto file = SafetensorsFile::Open(GoldenPath(std::string(golden.file) + ".safetensors"));
    const TensorView& latents = *file.Find("latents");  // [C, T, h, w]
    const TensorView& frames = *file.Find("frames");    // [F, 3, H, W]
    const LatentShape shape{static_cast<int>(latents.shape[0]), static_cast<int>(latents.shape[1]),
                            static_cast<int>(latents.shape[2]), static_cast<int>(latents.shape[3])};
    const LatentFormat format{LatentDtype::kF32, LatentAxes::kCthw, golden.domain};
    auto session = decoder.OpenSession({.geometry = {8 * shape.height, 8 * shape.width},
                                        .domain = golden.domain,
                                        .format = frame::PixelFormat::kRgbF32});

    std::vector<float> latent(
        static_cast<std::size_t>(shape.channels * shape.height * shape.width));
    std::vector<std::byte> decoded;
    for (int index = 0; index < shape.latents; ++index) {
      ConvertLatent(latents.bytes, format, shape, index, latent);
      const DecodedLatent next = session->DecodeLatent(latent);
      decoded.insert(decoded.end(), next.pixels.begin(), next.pixels.end());
    }
    ASSERT_EQ(decoded.size(), frames.bytes.size()) << golden.file;
    double worst = 0.0;
    for (std::size_t offset = 0; offset < decoded.size(); offset += sizeof(float)) {
      float actual = 0.0F;
      float expected = 0.0F;
      std::memcpy(&actual, decoded.data() + offset, sizeof actual);
      std::memcpy(&expected, frames.bytes.data() + offset, sizeof expected);
      const double difference = std::abs(actual - expected);
      worst = std::max(worst, std::isnan(difference) ? INFINITY : difference);
    }
    EXPECT_LT(worst, kTolerance) << golden.file;
  }
}

}  // namespace
}  // namespace causeway::decoder
