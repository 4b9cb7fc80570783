// SPDX-License-Identifier: Apache-2.0
#include "server/decoder/weights/weight_store.h"

#include <utility>

#include <gtest/gtest.h>

#include "server/base/half.h"
#include "server/base/safetensors_writer.h"
#include "tests/support/test_folder.h"

namespace causeway::decoder {
namespace {

using test::FileErrorOf;
using test::TestFolder;

template <typename Element>
NamedTensor Named(const std::string& name, TensorDtype dtype, const std::vector<Element>& values) {
  return {name,
          {dtype, {static_cast<std::int64_t>(values.size())}, std::as_bytes(std::span(values))}};
}

/// "w.X" is the weight X, "skip.X" is ignored, anything else unknown.
KeyMeaning MapKey(std::string_view key) {
  if (key.starts_with("w.")) return {KeyMeaning::Kind::kWeight, std::string(key.substr(2))};
  if (key.starts_with("v.")) return {KeyMeaning::Kind::kWeight, std::string(key.substr(2))};
  if (key.starts_with("skip.")) return {KeyMeaning::Kind::kIgnored, ""};
  return {};
}

WeightStore Store(const TestFolder& folder, std::vector<NamedTensor> tensors) {
  WriteSafetensors(folder.Path("x"), std::move(tensors));
  return WeightStore(SafetensorsFile::Open(folder.Path("x")), MapKey);
}

TEST(WeightStore, WidensEachWeightTypeExactly) {
  const TestFolder folder;
  const std::vector<float> values{0.0f, -1.5f, 0.0078125f, 96.0f};
  std::vector<std::uint16_t> halves;
  std::vector<std::uint16_t> bfloats;
  for (const float value : values) {
    halves.push_back(FloatToHalf(value));
    bfloats.push_back(FloatToBfloat16(value));
  }
  const WeightStore store = Store(
      folder, {Named("w.f32", TensorDtype::kF32, values), Named("w.f16", TensorDtype::kF16, halves),
               Named("w.bf16", TensorDtype::kBF16, bfloats)});
  EXPECT_EQ(store.ReadFloats("f32"), values);
  EXPECT_EQ(store.ReadFloats("f16"), values);
  EXPECT_EQ(store.ReadFloats("bf16"), values);
}

// The format allows it, and some writers produce it: an F32 tensor at an odd offset.
TEST(WeightStore, ReadsTensorsThatAreNotAligned) {
  const TestFolder folder;
  std::string header = R"({"w.a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                       R"("w.b":{"dtype":"F32","shape":[1],"data_offsets":[1,5]}})";
  header.resize(128, ' ');
  std::string content("\x80\0\0\0\0\0\0\0", 8);
  content += header;
  content += std::string("\x07\x00\x00\xC0\x3F", 5);
  const WeightStore store(SafetensorsFile::Open(folder.Write("x", content)), MapKey);
  EXPECT_EQ(store.ReadFloats("b"), std::vector<float>{1.5f});
}

TEST(WeightStore, CountsWhatTheDecoderUsesAndNamesWhatItDoesNotKnow) {
  const TestFolder folder;
  const std::vector<float> four(4);
  const std::vector<std::uint16_t> three(3);
  const WeightStore store =
      Store(folder, {Named("w.a", TensorDtype::kF32, four), Named("w.b", TensorDtype::kF16, three),
                     Named("skip.c", TensorDtype::kF32, four), Named("z", TensorDtype::kF32, four),
                     Named("other", TensorDtype::kF32, four)});
  EXPECT_EQ(store.parameter_count(), 7);
  EXPECT_EQ(store.total_bytes(), 4 * 4 + 3 * 2);
  EXPECT_EQ(store.tensors().size(), 2u);
  EXPECT_EQ(store.unknown_names(), (std::vector<std::string>{"other", "z"}));
}

TEST(WeightStore, KeepsTheFileMappedWhenMoved) {
  const TestFolder folder;
  const std::vector<float> values{1, 2, 3};
  WeightStore store = Store(folder, {Named("w.a", TensorDtype::kF32, values)});
  const std::byte* address = store.Get("a").bytes.data();
  const WeightStore moved = std::move(store);
  EXPECT_EQ(moved.Get("a").bytes.data(), address);
  EXPECT_EQ(moved.ReadFloats("a"), values);
}

TEST(WeightStore, RefusesTwoTensorsForOneWeight) {
  const TestFolder folder;
  const std::vector<float> one(1);
  const std::string message = FileErrorOf([&] {
    Store(folder, {Named("w.a", TensorDtype::kF32, one), Named("v.a", TensorDtype::kF32, one)});
  });
  EXPECT_EQ(message, folder.Path("x") + ": two tensors mean the weight a, one of them 'w.a'");
}

TEST(WeightStore, RefusesToReadWhatIsMissingOrNoWeight) {
  const TestFolder folder;
  const std::vector<std::int8_t> bytes(1);
  const WeightStore store = Store(folder, {Named("w.a", TensorDtype::kI8, bytes)});
  EXPECT_EQ(FileErrorOf([&] { store.ReadFloats("b"); }), folder.Path("x") + ": no weight 'b'");
  EXPECT_EQ(FileErrorOf([&] { store.ReadFloats("a"); }),
            folder.Path("x") + ": weight 'a' dtype: got I8, allowed: F32, F16, BF16");
}

}  // namespace
}  // namespace causeway::decoder
