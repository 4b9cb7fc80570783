// SPDX-License-Identifier: Apache-2.0
#include "server/decoder/latent.h"

#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "server/base/failure.h"

namespace causeway::decoder {
namespace {

constexpr LatentShape kShape{3, 4, 5, 7};
constexpr std::array kDtypes{LatentDtype::kF32, LatentDtype::kF16, LatentDtype::kBF16};
constexpr std::array kAxes{LatentAxes::kCthw, LatentAxes::kTchw};

// A number that all three types hold exactly (7 significant bits), and its bytes in each of them.
struct Sample {
  float value = 0;
  std::uint32_t f32 = 0;
  std::uint16_t f16 = 0;
  std::uint16_t bf16 = 0;
};

// mantissa / 128 * 2^exponent with mantissa in 128..255, both types' bits by their definition.
Sample MakeSample(bool is_negative, int mantissa, int exponent) {
  Sample sample;
  const unsigned sign = is_negative ? 1u : 0u;
  const auto fraction = static_cast<unsigned>(mantissa - 128);
  sample.f32 = sign << 31 | static_cast<unsigned>(exponent + 127) << 23 | fraction << 16;
  sample.f16 = static_cast<std::uint16_t>(sign << 15 | static_cast<unsigned>(exponent + 15) << 10 |
                                          fraction << 3);
  sample.bf16 = static_cast<std::uint16_t>(sample.f32 >> 16);
  sample.value = std::bit_cast<float>(sample.f32);
  return sample;
}

std::int64_t Elements(const LatentShape& shape) {
  return std::int64_t{1} * shape.channels * shape.latents * shape.height * shape.width;
}

// Position in the chunk, straight from the meaning of the axes.
std::int64_t Position(const LatentShape& shape, LatentAxes axes, int c, int t, int y, int x) {
  if (axes == LatentAxes::kCthw) {
    return ((std::int64_t{c} * shape.latents + t) * shape.height + y) * shape.width + x;
  }
  return ((std::int64_t{t} * shape.channels + c) * shape.height + y) * shape.width + x;
}

std::vector<Sample> RandomSamples(std::int64_t count) {
  std::mt19937 generator(17);
  std::uniform_int_distribution<int> mantissa(128, 255);
  std::uniform_int_distribution<int> exponent(-14, 14);
  std::vector<Sample> samples;
  for (std::int64_t i = 0; i < count; ++i) {
    samples.push_back(MakeSample((generator() & 1) != 0, mantissa(generator), exponent(generator)));
  }
  return samples;
}

// The samples as the bytes of a chunk, after `offset` bytes of something else.
std::vector<std::byte> Payload(const std::vector<Sample>& samples, LatentDtype dtype,
                               std::size_t offset) {
  const auto bytes = static_cast<std::size_t>(DtypeBytes(dtype));
  std::vector<std::byte> payload(offset + samples.size() * bytes, std::byte{0x7e});
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const Sample& sample = samples[i];
    const void* source = dtype == LatentDtype::kF32   ? static_cast<const void*>(&sample.f32)
                         : dtype == LatentDtype::kF16 ? static_cast<const void*>(&sample.f16)
                                                      : static_cast<const void*>(&sample.bf16);
    std::memcpy(payload.data() + offset + i * bytes, source, bytes);
  }
  return payload;
}

Failure FailureOf(std::span<const std::byte> payload, const LatentFormat& format,
                  const LatentShape& shape, int index, std::span<float> out) {
  try {
    ConvertLatent(payload, format, shape, index, out);
  } catch (const FailureError& error) {
    return error.failure();
  }
  ADD_FAILURE() << "nothing was refused";
  return {};
}

Failure ShapeFailure(const LatentShape& shape) {
  try {
    ChunkBytes(shape, LatentDtype::kF16);
  } catch (const FailureError& error) {
    return error.failure();
  }
  ADD_FAILURE() << "nothing was refused";
  return {};
}

TEST(Latent, EveryDtypeAndAxesOrderEqualsTheDefinitionAtAnyAlignment) {
  const auto samples = RandomSamples(Elements(kShape));
  const std::size_t values = std::size_t{3} * 5 * 7;
  for (const LatentDtype dtype : kDtypes) {
    for (const LatentAxes axes : kAxes) {
      for (const std::size_t offset : {0, 1, 2, 3}) {
        const auto memory = Payload(samples, dtype, offset);
        const auto payload = std::span(memory).subspan(offset);
        for (int t = 0; t < kShape.latents; ++t) {
          std::vector<float> out(values, std::numeric_limits<float>::quiet_NaN());
          ConvertLatent(payload, {dtype, axes, LatentDomain::kRaw}, kShape, t, out);
          for (std::size_t i = 0; i < values; ++i) {
            const int c = static_cast<int>(i / 35);
            const int y = static_cast<int>(i / 7 % 5);
            const int x = static_cast<int>(i % 7);
            ASSERT_EQ(out[i], samples[Position(kShape, axes, c, t, y, x)].value)
                << "dtype " << static_cast<int>(dtype) << ", axes " << static_cast<int>(axes)
                << ", offset " << offset << ", latent " << t << ", value " << i;
          }
        }
      }
    }
  }
}

TEST(Latent, ChunkBytesMultiplyAllExtents) {
  EXPECT_EQ(ChunkBytes(kShape, LatentDtype::kF32), 3 * 4 * 5 * 7 * 4);
  EXPECT_EQ(ChunkBytes(kShape, LatentDtype::kF16), 3 * 4 * 5 * 7 * 2);
  EXPECT_EQ(ChunkBytes(kShape, LatentDtype::kBF16), 3 * 4 * 5 * 7 * 2);
  EXPECT_EQ(ChunkBytes({1 << 15, 1 << 15, 1 << 15, 1 << 15}, LatentDtype::kF16),
            std::int64_t{1} << 61);
}

TEST(Latent, RefusesExtentsThatAreNotPositive) {
  for (const LatentShape& shape :
       {LatentShape{0, 4, 5, 7}, LatentShape{3, 0, 5, 7}, LatentShape{3, 4, 0, 7},
        LatentShape{3, 4, 5, 0}, LatentShape{-3, -4, 5, 7}}) {
    const Failure failure = ShapeFailure(shape);
    EXPECT_EQ(failure.reason, Reason::kPayloadSizeMismatch);
    EXPECT_EQ(failure.field, "latent shape");
  }
}

TEST(Latent, RefusesAProductBeyond63Bits) {
  const int largest = std::numeric_limits<int>::max();
  EXPECT_EQ(ShapeFailure({largest, largest, largest, largest}).reason,
            Reason::kPayloadSizeMismatch);
  // 2^63 exactly, and 2^64, which would wrap round to 0.
  EXPECT_EQ(ShapeFailure({1 << 16, 1 << 16, 1 << 15, 1 << 15}).reason,
            Reason::kPayloadSizeMismatch);
  EXPECT_EQ(ShapeFailure({1 << 16, 1 << 16, 1 << 16, 1 << 15}).reason,
            Reason::kPayloadSizeMismatch);
}

TEST(Latent, RefusesAPayloadOfAnotherSize) {
  const auto memory = Payload(RandomSamples(Elements(kShape)), LatentDtype::kF16, 2);
  std::vector<float> out(3 * 5 * 7);
  const LatentFormat format{LatentDtype::kF16, LatentAxes::kCthw, LatentDomain::kRaw};
  const auto payload = std::span(memory);
  for (const auto& wrong : {payload, payload.first(payload.size() - 3), payload.first(0)}) {
    const Failure failure = FailureOf(wrong, format, kShape, 0, out);
    EXPECT_EQ(failure.reason, Reason::kPayloadSizeMismatch);
    EXPECT_EQ(failure.field, "latents");
    EXPECT_EQ(failure.got, std::to_string(wrong.size()) + " bytes");
    EXPECT_EQ(failure.allowed, "840 bytes (3 channels, 4 latents, 5x7)");
  }
}

TEST(Latent, RefusesAnIndexOutsideTheChunkAndAnOutputOfAnotherSize) {
  const auto payload = Payload(RandomSamples(Elements(kShape)), LatentDtype::kF32, 0);
  const LatentFormat format;
  std::vector<float> out(3 * 5 * 7);
  for (const int index : {-1, 4, std::numeric_limits<int>::max()}) {
    const Failure failure = FailureOf(payload, format, kShape, index, out);
    EXPECT_EQ(failure.reason, Reason::kPayloadSizeMismatch);
    EXPECT_EQ(failure.field, "latent index");
    EXPECT_EQ(failure.allowed, "0..3");
  }
  out.resize(out.size() + 1);
  EXPECT_EQ(FailureOf(payload, format, kShape, 0, out).field, "values of one latent");
}

TEST(Latent, RefusesWhatIsNotFiniteAndSaysWhere) {
  struct Bad {
    std::uint32_t f32;
    std::uint16_t f16;
    std::uint16_t bf16;
    const char* name;
  };
  constexpr std::array kBad{Bad{0x7f800000, 0x7c00, 0x7f80, "inf"},
                            Bad{0xff800000, 0xfc00, 0xff80, "-inf"},
                            Bad{0x7fc00000, 0x7e00, 0x7fc0, "nan"},
                            Bad{0xff810000, 0xfc01, 0xff81, "nan"}};  // a signalling one
  struct Place {
    int channel, row, column;
  };
  constexpr std::array kPlaces{Place{0, 0, 0}, Place{2, 4, 6}, Place{1, 2, 3}};
  constexpr int kLatent = 2;
  const auto good = RandomSamples(Elements(kShape));
  std::vector<float> out(3 * 5 * 7);
  for (const LatentDtype dtype : kDtypes) {
    for (const LatentAxes axes : kAxes) {
      const LatentFormat format{dtype, axes, LatentDomain::kNormalised};
      for (const Bad& bad : kBad) {
        for (const Place& place : kPlaces) {
          auto samples = good;
          Sample& sample =
              samples[Position(kShape, axes, place.channel, kLatent, place.row, place.column)];
          sample.f32 = bad.f32;
          sample.f16 = bad.f16;
          sample.bf16 = bad.bf16;
          const auto payload = Payload(samples, dtype, 0);
          const Failure failure = FailureOf(payload, format, kShape, kLatent, out);
          EXPECT_EQ(failure.reason, Reason::kNonFiniteLatent);
          EXPECT_EQ(failure.message, std::string("latents: got ") + bad.name +
                                         " at latent 2 of the chunk, channel " +
                                         std::to_string(place.channel) + ", row " +
                                         std::to_string(place.row) + ", column " +
                                         std::to_string(place.column) + ", allowed: finite values");
          // The other latents of the chunk are not at fault.
          EXPECT_NO_THROW(ConvertLatent(payload, format, kShape, kLatent - 1, out));
          EXPECT_NO_THROW(ConvertLatent(payload, format, kShape, kLatent + 1, out));
        }
      }
    }
  }
}

TEST(Latent, AcceptsTheLargestFiniteValues) {
  const LatentShape shape{1, 1, 1, 2};
  std::array<float, 2> out{};
  const std::array<std::uint32_t, 2> f32{0x7f7fffff, 0xff7fffff};
  ConvertLatent(std::as_bytes(std::span(f32)), {}, shape, 0, out);
  EXPECT_EQ(out[1], -std::numeric_limits<float>::max());
  const std::array<std::uint16_t, 2> f16{0x7bff, 0xfbff};
  ConvertLatent(std::as_bytes(std::span(f16)),
                {LatentDtype::kF16, LatentAxes::kCthw, LatentDomain::kRaw}, shape, 0, out);
  EXPECT_EQ(out[0], 65504.0f);
}

}  // namespace
}  // namespace causeway::decoder
