// SPDX-License-Identifier: Apache-2.0
// Every operation of the reference backend against the oracle, in fp32 and fp64. Bounds: a sum of n
// products in floating point is off by at most n u times the sum of the magnitudes of its products
// (u: the unit roundoff; Higham, Accuracy and Stability of Numerical Algorithms, 3.1), whatever its
// order; the oracle itself computes that sum of magnitudes.
#include "server/decoder/backends/reference/operations.h"

#include <cmath>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

#include "tests/support/oracle.h"
#include "tests/support/random_model.h"
#include "tests/support/tensor_bridge.h"

namespace causeway::decoder::reference {
namespace {

using oracle::Activation;
using oracle::Filter;
using test::Random;
using test::ToActivation;
using test::ToTensor;

Activation RandomActivation(Random& random, int f, int h, int w, int c, bool integers = false) {
  Activation x(f, h, w, c);
  for (double& value : x.values) value = integers ? random.Integer(-3, 3) : random.Uniform();
  // What the tensors hold is what the oracle must see.
  for (double& value : x.values) value = static_cast<float>(value);
  return x;
}

Filter RandomFilter(Random& random, int out, int in, int time, int space, bool integers = false) {
  Filter filter{out, in, time, space, space, {}, {}};
  filter.weight.resize(static_cast<std::size_t>(out * in * time * space * space));
  filter.bias.resize(static_cast<std::size_t>(out));
  for (auto* values : {&filter.weight, &filter.bias}) {
    for (double& value : *values) {
      value = static_cast<float>(integers ? random.Integer(-2, 2) : random.Uniform());
    }
  }
  return filter;
}

Activation Magnitudes(Activation x) {
  for (double& value : x.values) value = std::abs(value);
  return x;
}

Filter Magnitudes(Filter filter) {
  for (double& value : filter.weight) value = std::abs(value);
  for (double& value : filter.bias) value = std::abs(value);
  return filter;
}

double UnitRoundoff(at::ScalarType type) { return type == at::kFloat ? 0x1p-24 : 0x1p-53; }

/// |actual - expected| <= bound, element by element; all extents equal.
void ExpectWithin(const Activation& actual, const Activation& expected, const Activation& bound) {
  ASSERT_EQ(std::tie(actual.frames, actual.height, actual.width, actual.channels),
            std::tie(expected.frames, expected.height, expected.width, expected.channels));
  for (std::size_t i = 0; i < actual.values.size(); ++i) {
    // Written so that a NaN fails.
    ASSERT_TRUE(std::abs(actual.values[i] - expected.values[i]) <= bound.values[i])
        << "element " << i << ": got " << actual.values[i] << ", expected " << expected.values[i]
        << " within " << bound.values[i];
  }
}

Activation Scaled(Activation x, double factor, double floor = 0.0) {
  for (double& value : x.values) value = std::abs(value) * factor + floor;
  return x;
}

// Not a multiple of a vector's length, odd extents, one pixel, one channel.
struct Shape {
  int frames, height, width, in, out;
};
constexpr Shape kShapes[] = {{3, 5, 7, 6, 10}, {4, 4, 4, 16, 32}, {3, 1, 1, 8, 3},
                             {5, 2, 9, 1, 1},  {3, 6, 1, 24, 17}, {3, 8, 8, 96, 3}};

class Operations : public testing::TestWithParam<at::ScalarType> {
 protected:
  at::ScalarType type() const { return GetParam(); }
  double u() const { return UnitRoundoff(type()); }
  Random random_{7};
};

INSTANTIATE_TEST_SUITE_P(Types, Operations, testing::Values(at::kFloat, at::kDouble),
                         [](const auto& test) { return std::string(at::toString(test.param)); });

TEST_P(Operations, CausalConvWithItsHistoryInTheWindowEqualsTheOracle) {
  for (const Shape& s : kShapes) {
    const Activation x = RandomActivation(random_, s.frames, s.height, s.width, s.in);
    const Filter filter = RandomFilter(random_, s.out, s.in, 3, 3);
    const Activation expected = oracle::Frames(oracle::CausalConv(x, filter), 2, s.frames);
    const Activation sums =
        oracle::Frames(oracle::CausalConv(Magnitudes(x), Magnitudes(filter)), 2, s.frames);
    const at::Tensor actual = Conv3d(ToTensor(x, type()), ToTensor(filter, type()),
                                     ToTensor(filter.bias, {s.out}, type()), 1);
    ExpectWithin(ToActivation(actual), expected, Scaled(sums, (27 * s.in + 1) * u()));
  }
}

TEST_P(Operations, ConvolutionOfIntegersIsExact) {
  for (const Shape& s : kShapes) {
    const Activation x = RandomActivation(random_, s.frames, s.height, s.width, s.in, true);
    const Filter filter = RandomFilter(random_, s.out, s.in, 3, 3, true);
    const at::Tensor actual = Conv3d(ToTensor(x, type()), ToTensor(filter, type()),
                                     ToTensor(filter.bias, {s.out}, type()), 1);
    const Activation expected = oracle::Frames(oracle::CausalConv(x, filter), 2, s.frames);
    ExpectWithin(ToActivation(actual), expected, Scaled(expected, 0.0));
  }
}

TEST_P(Operations, TheNewestTapAloneEqualsTheConvolutionOfAFrameWithoutHistory) {
  for (const Shape& s : kShapes) {
    const Activation x = RandomActivation(random_, 1, s.height, s.width, s.in, true);
    const Filter filter = RandomFilter(random_, s.out, s.in, 3, 3, true);
    const at::Tensor newest = ToTensor(filter, type()).select(2, 2).contiguous();
    const at::Tensor actual =
        Conv2d(ToTensor(x, type()), newest, ToTensor(filter.bias, {s.out}, type()), 1);
    const Activation expected = oracle::CausalConv(x, filter);
    ExpectWithin(ToActivation(actual), expected, Scaled(expected, 0.0));
  }
}

TEST_P(Operations, TimeConvThenDeinterleaveEqualsTheOracle) {
  for (const Shape& s : kShapes) {
    const Activation x = RandomActivation(random_, s.frames, s.height, s.width, s.in, true);
    const Filter filter = RandomFilter(random_, 2 * s.in, s.in, 3, 1, true);
    const at::Tensor actual =
        DeinterleaveFrames(Conv3d(ToTensor(x, type()), ToTensor(filter, type()),
                                  ToTensor(filter.bias, {2 * s.in}, type()), 0));
    const Activation expected =
        oracle::DeinterleaveFrames(oracle::Frames(oracle::CausalConv(x, filter), 2, s.frames));
    ExpectWithin(ToActivation(actual), expected, Scaled(expected, 0.0));
  }
}

TEST_P(Operations, TheFoldedUpConvOfIntegersIsExactlyDoubleThenConvolve) {
  for (const Shape& s : kShapes) {
    const Activation x = RandomActivation(random_, s.frames, s.height, s.width, s.in, true);
    const Filter filter = RandomFilter(random_, s.out, s.in, 1, 3, true);
    const at::Tensor folded = FoldUpConvWeight(ToTensor(filter, type()).select(2, 0));
    const at::Tensor actual = InterleaveParities(
        Conv2d(ToTensor(x, type()), folded, ToTensor(filter.bias, {s.out}, type()).repeat({4}), 1));
    const Activation expected = oracle::CausalConv(oracle::NearestDouble(x), filter);
    ExpectWithin(ToActivation(actual), expected, Scaled(expected, 0.0));
  }
}

TEST_P(Operations, PointwiseEqualsTheOracle) {
  for (const Shape& s : kShapes) {
    const Activation x = RandomActivation(random_, s.frames, s.height, s.width, s.in);
    const Filter filter = RandomFilter(random_, s.out, s.in, 1, 1);
    const at::Tensor actual =
        Pointwise(ToTensor(x, type()), ToTensor(filter, type()).view({s.out, s.in}),
                  ToTensor(filter.bias, {s.out}, type()));
    ExpectWithin(ToActivation(actual), oracle::CausalConv(x, filter),
                 Scaled(oracle::CausalConv(Magnitudes(x), Magnitudes(filter)), (s.in + 1) * u()));
  }
}

TEST_P(Operations, RmsNormEqualsTheOracleAndMapsZeroToZero) {
  for (const Shape& s : kShapes) {
    Activation x = RandomActivation(random_, s.frames, s.height, s.width, s.in);
    for (int c = 0; c < s.in; ++c) x.At(0, 0, 0, c) = 0.0;
    std::vector<double> gamma(static_cast<std::size_t>(s.in));
    for (double& value : gamma) value = static_cast<float>(random_.Uniform() + 1.0);
    const at::Tensor scaled = ToTensor(gamma, {s.in}, type()) * std::sqrt(s.in);

    at::Tensor actual = at::full({s.frames, s.height, s.width, s.in}, NAN, type());
    RmsNorm(ToTensor(x, type()), scaled, false, actual);
    const Activation expected = oracle::RmsNorm(x, gamma);
    // A sum of `in` squares, its root, a division, and two products with rounded factors.
    ExpectWithin(ToActivation(actual), expected, Scaled(expected, (s.in + 6) * u()));
    EXPECT_EQ(ToActivation(actual).At(0, 0, 0, 0), 0.0);

    RmsNorm(ToTensor(x, type()), scaled, true, actual);
    // SiLU's slope is below 1.1 everywhere; its own exponential, sum and division cost a few u.
    ExpectWithin(ToActivation(actual), oracle::Silu(expected),
                 Scaled(expected, 1.1 * (s.in + 6) * u() + 8 * u()));
  }
}

TEST_P(Operations, AttentionStaysWithinAFrameAndEqualsTheOracle) {
  for (const Shape& s : kShapes) {
    const Activation qkv = RandomActivation(random_, s.frames, s.height, s.width, 3 * s.in);
    const at::Tensor actual = Attention(ToTensor(qkv, type()));
    const Activation expected = oracle::Attention(qkv);
    const int tokens = s.height * s.width;
    // All inputs are in [-1, 1]: a score is off by at most (in + 2) u sqrt(in), which moves a
    // softmax weight by at most twice that relatively; the exponential costs a few u, the sums one
    // u a token; values are at most 1.
    const double score_error = (s.in + 2) * u() * std::sqrt(s.in);
    const double bound = 2 * score_error + (2 * tokens + 16) * u();
    ExpectWithin(ToActivation(actual), expected, Scaled(expected, 0.0, bound));
  }
}

}  // namespace
}  // namespace causeway::decoder::reference
