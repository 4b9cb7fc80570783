// SPDX-License-Identifier: Apache-2.0
// A loaded model end to end: golden frames of diffusers, and what a session promises its caller.
#include "server/decoder/decoder.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include <gtest/gtest.h>

#include "server/base/failure.h"
#include "server/base/safetensors.h"
#include "server/decoder/latent.h"
#include "server/decoder/models/model_config.h"
#include "tests/support/model_files.h"
#include "tests/support/random_model.h"
#include "tests/support/test_folder.h"

namespace causeway::decoder {
namespace {

const std::string kDemo = std::string(CAUSEWAY_SOURCE_DIR) + "/deploy/demo/";
constexpr Geometry kCorner{64, 64};

class DecoderTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    decoder_ = new Decoder({.model_path = kDemo + "model"});
    corner_ = new SafetensorsFile(SafetensorsFile::Open(kDemo + "corner64.safetensors"));
  }
  static void TearDownTestSuite() {
    delete decoder_;
    delete corner_;
  }

  static std::vector<float> Latent(int index) {
    const TensorView& latents = *corner_->Find("latents");
    std::vector<float> latent(16 * 8 * 8);
    ConvertLatent(latents.bytes, {}, {16, 3, 8, 8}, index, latent);
    return latent;
  }

  static std::unique_ptr<DecodeSession> Open(frame::PixelFormat format) {
    return decoder_->OpenSession({.geometry = kCorner, .format = format});
  }

  static std::vector<float> AsFloats(const DecodedLatent& decoded) {
    std::vector<float> values(decoded.pixels.size() / sizeof(float));
    std::memcpy(values.data(), decoded.pixels.data(), decoded.pixels.size());
    return values;
  }

  static void ExpectRefused(const std::function<void()>& act, Reason reason,
                            const std::string& field) {
    try {
      act();
      FAIL() << "not refused";
    } catch (const FailureError& error) {
      EXPECT_EQ(error.failure().reason, reason);
      EXPECT_EQ(error.failure().field, field);
      EXPECT_FALSE(error.failure().allowed.empty());
    }
  }

  static inline Decoder* decoder_ = nullptr;
  static inline SafetensorsFile* corner_ = nullptr;
};

TEST_F(DecoderTest, EqualsDiffusersOnTheDemoModel) {
  const TensorView& expected = *corner_->Find("frames");  // [3, 9, 64, 64]
  std::vector<float> golden(3 * 9 * 64 * 64);
  ASSERT_EQ(expected.bytes.size(), golden.size() * sizeof(float));
  std::memcpy(golden.data(), expected.bytes.data(), expected.bytes.size());

  auto session = Open(frame::PixelFormat::kRgbF32);
  constexpr std::size_t kPlane = 64 * 64;
  std::size_t frame = 0;
  double worst = 0.0;
  for (int latent = 0; latent < 3; ++latent) {
    const DecodedLatent decoded = session->DecodeLatent(Latent(latent));
    const std::vector<float> values = AsFloats(decoded);
    for (int f = 0; f < decoded.frame_count; ++f, ++frame) {
      for (std::size_t c = 0; c < 3; ++c) {
        for (std::size_t i = 0; i < kPlane; ++i) {
          const float actual = values[(static_cast<std::size_t>(f) * 3 + c) * kPlane + i];
          worst = std::max<double>(worst, std::abs(actual - golden[(c * 9 + frame) * kPlane + i]));
        }
      }
    }
  }
  EXPECT_EQ(frame, 9U);
  // Both sides are fp32: each is within about 1e-5 of the exact decode on trained weights.
  EXPECT_LT(worst, 5e-5);
}

TEST_F(DecoderTest, GivesOneFrameForTheFirstLatentAndFourForEveryOther) {
  auto session = Open(frame::PixelFormat::kRgb24);
  for (const int expected : {1, 4, 4}) {
    const DecodedLatent decoded = session->DecodeLatent(Latent(0));
    EXPECT_EQ(decoded.frame_count, expected);
    EXPECT_EQ(decoded.frame_bytes, 64 * 64 * 3);
    EXPECT_EQ(decoded.pixels.size(), static_cast<std::size_t>(expected) * 64 * 64 * 3);
  }
  EXPECT_EQ(session->latents_decoded(), 3);
}

TEST_F(DecoderTest, EveryPixelFormatIsThePackingOfTheSameFrames) {
  const DecodedLatent exact = Open(frame::PixelFormat::kRgbF32)->DecodeLatent(Latent(0));
  const std::vector<float> frames = AsFloats(exact);
  for (const auto format : {frame::PixelFormat::kRgb24, frame::PixelFormat::kI420,
                            frame::PixelFormat::kNv12, frame::PixelFormat::kRgbF16}) {
    std::vector<std::byte> packed(
        static_cast<std::size_t>(frame::FrameBytes(format, kCorner.height, kCorner.width)));
    frame::PackFrame(format, kCorner.height, kCorner.width, frames, packed);
    EXPECT_EQ(Open(format)->DecodeLatent(Latent(0)).pixels, packed)
        << frame::PixelFormatName(format);
  }
}

TEST_F(DecoderTest, ARefusedLatentLeavesTheStateUntouched) {
  auto clean = Open(frame::PixelFormat::kRgbF32);
  auto disturbed = Open(frame::PixelFormat::kRgbF32);
  for (int index = 0; index < 3; ++index) {
    std::vector<float> poisoned = Latent(index);
    poisoned[77] = std::numeric_limits<float>::quiet_NaN();
    ExpectRefused([&] { disturbed->DecodeLatent(poisoned); }, Reason::kNonFiniteLatent, "latent");
    ExpectRefused([&] { disturbed->DecodeLatent(std::span(poisoned).first(9)); },
                  Reason::kPayloadSizeMismatch, "latent");
    EXPECT_EQ(disturbed->DecodeLatent(Latent(index)).pixels,
              clean->DecodeLatent(Latent(index)).pixels);
  }
}

TEST_F(DecoderTest, APictureThatIsNotANumberIsAFaultAndTheSessionThenWantsAReset) {
  // A bias near the largest fp32: the next convolution's sums overflow both ways.
  const test::TestFolder folder;
  std::vector<test::FileTensor> tensors = test::ModelTensors(test::TinyConfig(4));
  test::FileTensor& bias = test::Find(tensors, "post_quant_conv.bias");
  const std::vector<float> huge(bias.bytes.size() / sizeof(float), 3e38F);
  std::memcpy(bias.bytes.data(), huge.data(), bias.bytes.size());
  const std::string path = folder.Path("overflowing.safetensors");
  test::WriteModel(path, test::WithOriginalNames(tensors));

  const Decoder decoder({.model_path = path});
  auto session = decoder.OpenSession({.geometry = {8, 8}});
  const std::vector<float> latent(16, 0.5F);
  try {
    session->DecodeLatent(latent);
    FAIL() << "no fault";
  } catch (const FailureError& error) {
    EXPECT_EQ(error.failure().reason, Reason::kNumericFault);
  }
  EXPECT_THROW(session->DecodeLatent(latent), std::logic_error);
  session->Reset();
  EXPECT_THROW(session->DecodeLatent(latent), FailureError);
}

TEST_F(DecoderTest, ResetEqualsANewSession) {
  auto session = Open(frame::PixelFormat::kRgb24);
  const DecodedLatent fresh = session->DecodeLatent(Latent(1));
  session->DecodeLatent(Latent(2));
  session->Reset();
  EXPECT_EQ(session->latents_decoded(), 0);
  EXPECT_EQ(session->DecodeLatent(Latent(1)).pixels, fresh.pixels);
}

TEST_F(DecoderTest, RefusesGeometriesThatAreNotMultiplesOfEight) {
  for (const Geometry geometry :
       {Geometry{0, 64}, Geometry{64, -8}, Geometry{60, 64}, Geometry{64, 7}, Geometry{8200, 64},
        Geometry{1 << 30, 1 << 30}}) {
    ExpectRefused([&] { decoder_->OpenSession({.geometry = geometry}); }, Reason::kBadGeometry,
                  "geometry");
    ExpectRefused([&] { decoder_->SessionStateBytes(geometry); }, Reason::kBadGeometry, "geometry");
  }
}

TEST_F(DecoderTest, RefusesUnknownBackendsAndAbsurdThreadCounts) {
  ExpectRefused([] { Decoder({.model_path = kDemo + "model", .backend = "abacus"}); },
                Reason::kBadOption, "backend");
  ExpectRefused([] { Decoder({.model_path = kDemo + "model", .threads = -1}); }, Reason::kBadOption,
                "threads");
}

TEST_F(DecoderTest, TimesOfTheCategoriesAddUpToTheWholeStep) {
  auto session = Open(frame::PixelFormat::kRgb24);
  session->DecodeLatent(Latent(0));
  const DecodedLatent decoded = session->DecodeLatent(Latent(1));
  StepTimes::Nanoseconds sum{0};
  for (int category = 0; category < kCategoryCount; ++category) {
    sum += decoded.times.duration(static_cast<Category>(category));
  }
  EXPECT_LE(sum, decoded.times.total);
  EXPECT_GT(decoded.times.duration(Category::kConvolutionOrGemm).count(), 0);
  EXPECT_EQ(decoded.times.launches(Category::kAttention), 1);
}

TEST_F(DecoderTest, StateBytesAreFp32ElementsOfTheTableOfSlots) {
  // Two frames a slot, base width 16, on a grid of 1 x 1 latents: conv_in 16 channels; 11 slots of
  // 64; at 2x2 one of 32 and 6 of 64; at 4x4 6 of 32; at 8x8 7 of 16.
  const std::int64_t elements = 2 * (16 + 11 * 64 + 4 * (32 + 6 * 64) + 16 * 6 * 32 + 64 * 7 * 16);
  EXPECT_EQ(decoder_->SessionStateBytes({8, 8}), 4 * elements);
  EXPECT_EQ(decoder_->SessionStateBytes({192, 320}), 4 * elements * 24 * 40);
}

}  // namespace
}  // namespace causeway::decoder
