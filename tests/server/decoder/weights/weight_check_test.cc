// SPDX-License-Identifier: Apache-2.0
#include "server/decoder/weights/weight_check.h"

#include <limits>
#include <utility>

#include <gtest/gtest.h>

#include "server/base/half.h"
#include "server/base/safetensors_writer.h"
#include "tests/support/test_folder.h"

namespace causeway::decoder {
namespace {

using test::FileErrorOf;
using test::TestFolder;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

KeyMeaning MapKey(std::string_view key) {
  if (key.starts_with("?")) return {};
  return {KeyMeaning::Kind::kWeight, std::string(key)};
}

class WeightCheckTest : public testing::Test {
 protected:
  void Add(const std::string& name, std::vector<std::int64_t> shape,
           TensorDtype dtype = TensorDtype::kF32) {
    const auto bytes = ElementCount(shape).value() * TensorDtypeBytes(dtype);
    data_.push_back(std::vector<std::byte>(static_cast<std::size_t>(bytes)));
    tensors_.push_back({name, {dtype, std::move(shape), data_.back()}});
  }

  template <typename Element>
  void AddValues(const std::string& name, TensorDtype dtype, const std::vector<Element>& values) {
    const auto bytes = std::as_bytes(std::span(values));
    data_.push_back({bytes.begin(), bytes.end()});
    tensors_.push_back({name, {dtype, {static_cast<std::int64_t>(values.size())}, data_.back()}});
  }

  /// What is said of the file with these tensors, after its path; empty where it passes.
  std::string Check(const std::vector<WeightSpec>& specs) {
    WriteSafetensors(folder_.Path("x"), tensors_);
    const WeightStore store(SafetensorsFile::Open(folder_.Path("x")), MapKey);
    const std::string message = FileErrorOf([&] { CheckWeights(store, specs); });
    return message.empty() ? message : message.substr(folder_.Path("x: ").size());
  }

  TestFolder folder_;
  std::vector<std::vector<std::byte>> data_;
  std::vector<NamedTensor> tensors_;
};

TEST_F(WeightCheckTest, AcceptsExactlyTheListInAnyWeightType) {
  Add("a", {2, 3});
  Add("b", {4}, TensorDtype::kF16);
  Add("c", {4}, TensorDtype::kBF16);
  EXPECT_EQ(Check({{"c", {4}}, {"a", {2, 3}}, {"b", {4}}}), "");
}

TEST_F(WeightCheckTest, NamesEveryProblemInOneLine) {
  Add("shape", {2, 3});
  Add("rank", {4});
  Add("dtype", {4}, TensorDtype::kI8);
  Add("double", {4}, TensorDtype::kF64);
  Add("extra", {1});
  Add("?unknown\n", {1});
  EXPECT_EQ(Check({{"gone", {1}},
                   {"lost", {1}},
                   {"shape", {3, 2}},
                   {"rank", {4, 1}},
                   {"dtype", {4}},
                   {"double", {4}}}),
            "weights refused (8 tensors): missing gone, lost; not expected 'extra', '?unknown?'; "
            "wrong shape shape got [2, 3], allowed: [3, 2], rank got [4], allowed: [4, 1]; "
            "wrong dtype dtype got I8, allowed: F32, F16, BF16, "
            "double got F64, allowed: F32, F16, BF16");
}

TEST_F(WeightCheckTest, NamesTwelveAndCountsTheRest) {
  std::vector<WeightSpec> specs;
  for (const char* name :
       {"t10", "t11", "t12", "t13", "t14", "t15", "t16", "t17", "t18", "t19", "t20", "t21"}) {
    specs.push_back({name, {1}});
  }
  EXPECT_EQ(Check(specs),
            "weights refused (12 tensors): missing t10, t11, t12, t13, t14, t15, t16, t17, t18, "
            "t19, t20, t21");
  specs.push_back({"t22", {1}});
  Add("extra", {1});
  EXPECT_EQ(Check(specs),
            "weights refused (14 tensors): missing t10, t11, t12, t13, t14, t15, t16, t17, t18, "
            "t19, t20, t21 and 2 more");
}

TEST_F(WeightCheckTest, RefusesValuesThatAreNotFinite) {
  AddValues<float>("good", TensorDtype::kF32, {1, -std::numeric_limits<float>::max()});
  AddValues<float>("infinite", TensorDtype::kF32, {0, 0, -kInfinity});
  AddValues<float>("nan", TensorDtype::kF32, {std::numeric_limits<float>::quiet_NaN()});
  AddValues<std::uint16_t>("good half", TensorDtype::kF16, {0x7BFF, 0xFBFF});  // +-65504
  AddValues<std::uint16_t>("half", TensorDtype::kF16, {0, FloatToHalf(kInfinity)});
  AddValues<std::uint16_t>("good bfloat", TensorDtype::kBF16, {0x7F7F, 0xFF7F});  // the largest
  AddValues<std::uint16_t>("bfloat", TensorDtype::kBF16, {0x7FC0});
  EXPECT_EQ(Check({{"good", {2}},
                   {"infinite", {3}},
                   {"nan", {1}},
                   {"good half", {2}},
                   {"half", {2}},
                   {"good bfloat", {2}},
                   {"bfloat", {1}}}),
            "weights refused (4 tensors): NaN or infinity in infinite, nan, half, bfloat");
}

}  // namespace
}  // namespace causeway::decoder
