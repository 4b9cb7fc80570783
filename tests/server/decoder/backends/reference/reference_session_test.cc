// SPDX-License-Identifier: Apache-2.0
// The streaming reference decoder against the oracle's decode of all latents at once, and what its
// sessions promise to each other.
#include "server/decoder/backends/reference/reference_session.h"

#include <cmath>
#include <cstring>
#include <limits>

#include <gtest/gtest.h>

#include "tests/support/oracle_decoder.h"
#include "tests/support/reference_fixture.h"

namespace causeway::decoder::reference {
namespace {

using test::Frames;
using test::ReferenceFixture;

// fp32 against fp64 over about 40 layers in a row. A layer's relative error is a few sqrt(n) u (n
// about 100 to 1,000 products, u = 6e-8), so about 1e-6; the network does not amplify by more than
// 10 a layer pair at these weights. What is wrong by index or rule is wrong by more than 1e-2.
constexpr double kFp32Bound = 2e-4;

/// The largest difference between streamed frames [T, 3, H, W] and the oracle's [T, H, W, 3].
double Distance(const std::vector<Frames>& streamed, const oracle::Activation& expected) {
  double worst = 0.0;
  int frame = 0;
  for (const Frames& frames : streamed) {
    for (int f = 0; f < frames.count; ++f, ++frame) {
      for (int c = 0; c < 3; ++c) {
        for (int y = 0; y < expected.height; ++y) {
          for (int x = 0; x < expected.width; ++x) {
            const double difference = std::abs(frames.At(f, c, y, x) - expected.At(frame, y, x, c));
            worst = std::max(worst, std::isnan(difference) ? INFINITY : difference);
          }
        }
      }
    }
  }
  EXPECT_EQ(frame, expected.frames);
  return worst;
}

Phase PhaseOf(std::size_t latent) {
  return latent == 0 ? Phase::kFirstLatent : Phase::kLaterLatent;
}

struct Case {
  int base_width, height, width, latents;
};

class StreamedDecode : public testing::TestWithParam<Case> {};

INSTANTIATE_TEST_SUITE_P(Sizes, StreamedDecode,
                         testing::Values(Case{8, 2, 3, 5}, Case{4, 1, 1, 6}, Case{3, 3, 1, 4},
                                         Case{16, 2, 2, 3}, Case{8, 1, 5, 1}),
                         [](const auto& test) {
                           return "Base" + std::to_string(test.param.base_width) + "Grid" +
                                  std::to_string(test.param.height) + "x" +
                                  std::to_string(test.param.width) + "Latents" +
                                  std::to_string(test.param.latents);
                         });

TEST_P(StreamedDecode, EqualsTheOraclesDecodeOfAllLatentsAtOnce) {
  const Case c = GetParam();
  const ReferenceFixture fixture(c.base_width, {8 * c.height, 8 * c.width});
  const auto latents = fixture.RandomLatents(c.latents, 3);
  auto session = fixture.Open();
  const auto streamed = fixture.DecodeAll(*session, latents);
  const oracle::Activation expected = fixture.OracleDecode(latents);
  EXPECT_LT(Distance(streamed, expected), kFp32Bound);

  // The comparison means something: the picture is neither flat nor all clamped.
  double energy = 0.0;
  std::size_t clamped = 0;
  for (const double value : expected.values) {
    energy += value * value;
    clamped += std::abs(value) == 1.0 ? 1 : 0;
  }
  EXPECT_GT(energy / static_cast<double>(expected.values.size()), 0.05);
  EXPECT_LT(clamped, expected.values.size() / 2);
}

TEST(ReferenceSession, TwoInterleavedSessionsEqualTwoSeparateOnesBitForBit) {
  const ReferenceFixture fixture(8, {24, 16});
  const auto a = fixture.RandomLatents(4, 1);
  const auto b = fixture.RandomLatents(4, 2);
  const auto alone_a = fixture.DecodeAll(*fixture.Open(), a);
  const auto alone_b = fixture.DecodeAll(*fixture.Open(), b);

  auto first = fixture.Open();
  auto second = fixture.Open();
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(fixture.DecodeNext(*first, a[i], PhaseOf(i)), alone_a[i]) << "latent " << i;
    EXPECT_EQ(fixture.DecodeNext(*second, b[i], PhaseOf(i)), alone_b[i]) << "latent " << i;
  }
}

TEST(ReferenceSession, ResetEqualsANewSessionBitForBitAfterAnyNumberOfLatents) {
  const ReferenceFixture fixture(8, {16, 16});
  const auto latents = fixture.RandomLatents(3, 1);
  const auto fresh = fixture.DecodeAll(*fixture.Open(), latents);
  for (int before = 1; before <= 3; ++before) {
    auto session = fixture.Open();
    fixture.DecodeAll(*session, fixture.RandomLatents(before, 9));
    session->Reset();
    EXPECT_EQ(fixture.DecodeAll(*session, latents), fresh) << "after " << before;
  }
}

TEST(ReferenceSession, DecodesRawLatentsAsNormalisedOnesWithStatisticsApplied) {
  const ReferenceFixture fixture(8, {16, 16});
  const auto normalised = fixture.RandomLatents(3, 1);
  auto raw = normalised;
  const std::size_t grid = 4;
  for (auto& latent : raw) {
    for (std::size_t i = 0; i < latent.size(); ++i) {
      latent[i] = latent[i] * static_cast<float>(fixture.config().latents_std[i / grid]) +
                  static_cast<float>(fixture.config().latents_mean[i / grid]);
    }
  }
  const auto expected = fixture.DecodeAll(*fixture.Open(), normalised);
  const auto actual = fixture.DecodeAll(*fixture.Open(), raw, LatentDomain::kRaw);
  EXPECT_EQ(actual, expected);
}

TEST(ReferenceSession, WritesEveryElementOfTheFrames) {
  const ReferenceFixture fixture(4, {8, 24});
  auto session = fixture.Open();
  // The fixture fills frames with NaN before every decode.
  for (const Frames& frames : fixture.DecodeAll(*session, fixture.RandomLatents(2, 1))) {
    for (const float value : frames.values) {
      ASSERT_TRUE(std::isfinite(value));
      ASSERT_LE(std::abs(value), 1.0F);
    }
  }
}

TEST(ReferenceSession, OneLatentReachesExactly38LatentsAhead) {
  // 12 causal convolutions at one frame a latent, 7 at two and 13 at four reach 2 frames back each:
  // 24 + 7 + 6.5 = 37.5 latents. So the frames of latent t reach back to t - 38 (the first two) or
  // t - 37 (the last two). Shown by one latent of NaN, which spoils what it reaches and no more.
  const ReferenceFixture fixture(4, {8, 8});
  constexpr std::size_t kPoisoned = 20;
  constexpr std::size_t kReach = 38;
  ASSERT_EQ(ReplayLatents(fixture.plan()), static_cast<int>(kReach));
  auto latents = fixture.RandomLatents(static_cast<int>(kPoisoned + kReach) + 3, 1);
  latents[kPoisoned].assign(latents[kPoisoned].size(), std::numeric_limits<float>::quiet_NaN());

  const auto decoded = fixture.DecodeAll(*fixture.Open(), latents);
  for (std::size_t t = 0; t < decoded.size(); ++t) {
    for (int f = 0; f < decoded[t].count; ++f) {
      const std::size_t reach = f < 2 ? kReach : kReach - 1;
      const bool expect_nan = t >= kPoisoned && t <= kPoisoned + reach;
      EXPECT_EQ(std::isnan(decoded[t].At(f, 0, 0, 0)), expect_nan)
          << "latent " << t << ", frame " << f;
    }
  }
}

TEST(ReferenceSession, ReplayOf38LatentsRebuildsALostSessionBitForBit) {
  const ReferenceFixture fixture(4, {8, 8});
  const auto latents = fixture.RandomLatents(60, 4);
  const auto original = fixture.DecodeAll(*fixture.Open(), latents);
  auto rebuilt = fixture.Open();
  constexpr std::size_t kLost = 58;
  for (std::size_t i = kLost - 38; i < kLost; ++i) {
    fixture.DecodeNext(*rebuilt, latents[i],
                       i == kLost - 38 ? Phase::kFirstLatent : Phase::kLaterLatent);
  }
  EXPECT_EQ(fixture.DecodeNext(*rebuilt, latents[kLost], Phase::kLaterLatent), original[kLost]);
}

}  // namespace
}  // namespace causeway::decoder::reference
