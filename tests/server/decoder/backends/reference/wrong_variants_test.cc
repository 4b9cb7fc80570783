// SPDX-License-Identifier: Apache-2.0
// The mistakes that implementations of this decoder make, each built here on purpose and seen to
// differ from the oracle. They show that the comparison would catch them: the streaming rules are
// easy to get almost right.
#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "tests/support/reference_fixture.h"

namespace causeway::decoder::reference {
namespace {

using test::Frames;
using test::ReferenceFixture;

constexpr Geometry kGeometry{16, 24};
constexpr int kLatents = 4;
// A right decode is within 2e-4 of the oracle (reference_session_test); a wrong one must be off by
// far more than rounding.
constexpr double kSeen = 1e-2;

class WrongVariant : public testing::Test {
 protected:
  WrongVariant() : fixture_(8, kGeometry), latents_(fixture_.RandomLatents(kLatents, 5)) {}

  /// The largest difference to the oracle from the oracle's frame `skip` on.
  double Distance(const std::vector<Frames>& streamed, int skip = 0) const {
    const oracle::Activation& expected = Expected();
    double worst = 0.0;
    int frame = skip;
    for (const Frames& frames : streamed) {
      for (int f = 0; f < frames.count; ++f, ++frame) {
        for (int c = 0; c < 3; ++c) {
          for (int y = 0; y < expected.height; ++y) {
            for (int x = 0; x < expected.width; ++x) {
              worst =
                  std::max(worst, std::abs(frames.At(f, c, y, x) - expected.At(frame, y, x, c)));
            }
          }
        }
      }
    }
    EXPECT_EQ(frame, expected.frames);
    return worst;
  }

  /// The oracle's decode: slow, and the same for all tests.
  const oracle::Activation& Expected() const {
    static const oracle::Activation expected = fixture_.OracleDecode(latents_);
    return expected;
  }

  static int CountFrames(const std::vector<Frames>& streamed) {
    int count = 0;
    for (const Frames& frames : streamed) count += frames.count;
    return count;
  }

  /// The last frame only, as the shortcuts keep it that drop three frames of the first latent.
  static Frames LastFrame(const Frames& four) {
    Frames last = four;
    last.count = 1;
    last.values.assign(four.values.end() - static_cast<std::ptrdiff_t>(four.values.size() / 4),
                       four.values.end());
    return last;
  }

  int SlotOf(const std::string& step) const {
    for (std::size_t slot = 0; slot < fixture_.plan().slots.size(); ++slot) {
      if (fixture_.plan().slots[slot].step == step) return static_cast<int>(slot);
    }
    ADD_FAILURE() << "no slot of " << step;
    return 0;
  }

  std::vector<Frames> DecodeRest(ReferenceSession& session, std::vector<Frames> decoded) const {
    for (std::size_t i = decoded.size(); i < latents_.size(); ++i) {
      decoded.push_back(fixture_.DecodeNext(session, latents_[i], Phase::kLaterLatent));
    }
    return decoded;
  }

  /// The same model with one tensor changed.
  template <typename Change>
  ReferenceFixture WithChangedWeight(const std::string& suffix, Change change) const {
    const ReadWeight read = fixture_.read();
    return {fixture_.config(), kGeometry, [read, suffix, change](const std::string& name) {
              std::vector<float> values = read(name);
              if (name.ends_with(suffix)) change(values);
              return values;
            }};
  }

  ReferenceFixture fixture_;
  std::vector<std::vector<float>> latents_;
};

TEST_F(WrongVariant, NoneOfThemIsWithinTheBound) {
  EXPECT_LT(Distance(fixture_.DecodeAll(*fixture_.Open(), latents_)), kSeen / 50);
}

TEST_F(WrongVariant, PushingTheFirstFrameIntoTheTimeConvolutionsHistory) {
  auto session = fixture_.Open();
  std::map<std::string, at::Tensor> results;
  session->set_observer(
      [&](const Step& step, const at::Tensor& result) { results[step.name] = result.clone(); });
  std::vector<Frames> decoded{fixture_.DecodeNext(*session, latents_[0], Phase::kFirstLatent)};
  session->set_observer(nullptr);
  session->cache().Push(SlotOf("up0.time_conv"), results.at("up0.res2.conv2"));
  session->cache().Push(SlotOf("up1.time_conv"), results.at("up1.res2.conv2"));
  EXPECT_GT(Distance(DecodeRest(*session, decoded)), kSeen);
}

TEST_F(WrongVariant, RunningTheTimeConvolutionsOnTheFirstLatentAndDroppingThreeFrames) {
  auto session = fixture_.Open();
  std::vector<Frames> decoded{
      LastFrame(fixture_.DecodeNext(*session, latents_[0], Phase::kLaterLatent))};
  EXPECT_GT(Distance(DecodeRest(*session, decoded)), kSeen);
}

TEST_F(WrongVariant, EmittingZerosBeforeTheFirstFrameAtEachTimeConvolution) {
  // A time convolution that gives [0, x]: no weights but the identity from the newest frame to the
  // second half of the channels.
  const auto zeros_then_x = [](std::vector<float>& values) {
    const auto channels =
        static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(values.size()) / 6.0)));
    values.assign(values.size(), 0.0F);
    for (std::size_t c = 0; c < channels; ++c) {
      values[((channels + c) * channels + c) * 3 + 2] = 1.0F;
    }
  };
  const ReadWeight read = fixture_.read();
  const ReferenceFixture first_model(fixture_.config(), kGeometry,
                                     [read, zeros_then_x](const std::string& name) {
                                       std::vector<float> values = read(name);
                                       if (name.ends_with("time_conv.weight")) zeros_then_x(values);
                                       if (name.ends_with("time_conv.bias"))
                                         values.assign(values.size(), 0.0F);
                                       return values;
                                     });
  auto first = first_model.Open();
  std::vector<Frames> decoded{
      LastFrame(first_model.DecodeNext(*first, latents_[0], Phase::kLaterLatent))};
  auto rest = fixture_.Open();
  for (std::size_t slot = 0; slot < fixture_.plan().slots.size(); ++slot) {
    const int index = static_cast<int>(slot);
    if (fixture_.plan().slots[slot].step.ends_with("time_conv")) continue;
    rest->cache().slot(index).copy_(first->cache().slot(index));
  }
  EXPECT_GT(Distance(DecodeRest(*rest, decoded)), kSeen);
}

TEST_F(WrongVariant, KeepingZeroAndTheNewFrameWhereOneFrameArrives) {
  auto session = fixture_.Open();
  std::vector<Frames> decoded;
  for (const auto& latent : latents_) {
    decoded.push_back(fixture_.DecodeNext(
        *session, latent, decoded.empty() ? Phase::kFirstLatent : Phase::kLaterLatent));
    session->cache().slot(SlotOf("up0.time_conv"))[0].zero_();
  }
  EXPECT_GT(Distance(decoded), kSeen);
}

TEST_F(WrongVariant, SwappingTheTwoHalvesOfTheTimeConvolutionsChannels) {
  const auto swap_halves = [](std::vector<float>& values) {
    std::rotate(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                values.end());
  };
  const ReferenceFixture swapped = WithChangedWeight("time_conv.weight", swap_halves);
  EXPECT_GT(Distance(swapped.DecodeAll(*swapped.Open(), latents_)), kSeen);
}

TEST_F(WrongVariant, ClearingTheCacheEveryThreeLatentsLosesFrames) {
  auto session = fixture_.Open();
  std::vector<Frames> decoded;
  for (std::size_t i = 0; i < latents_.size(); ++i) {
    if (i % 3 == 0) session->Reset();
    decoded.push_back(fixture_.DecodeNext(*session, latents_[i],
                                          i % 3 == 0 ? Phase::kFirstLatent : Phase::kLaterLatent));
  }
  EXPECT_EQ(CountFrames(decoded), 10);
  EXPECT_EQ(Expected().frames, 13);
}

TEST_F(WrongVariant, SendingEveryLatentThroughTheFirstLatentsPathLosesFrames) {
  // What a stock decoder does with several latents in its first call, or without a cache: the time
  // convolutions are skipped for all of them.
  auto session = fixture_.Open();
  std::vector<Frames> decoded;
  for (const auto& latent : latents_) {
    decoded.push_back(fixture_.DecodeNext(*session, latent, Phase::kFirstLatent));
  }
  EXPECT_EQ(CountFrames(decoded), kLatents);
  EXPECT_EQ(Expected().frames, 13);
}

}  // namespace
}  // namespace causeway::decoder::reference
