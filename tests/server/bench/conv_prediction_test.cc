// SPDX-License-Identifier: Apache-2.0
#include "server/bench/conv_prediction.h"

#include <sstream>
#include <stdexcept>

#include <gtest/gtest.h>

#include "server/base/json.h"
#include "server/bench/prediction_report.h"
#include "tests/server/bench/built_in_plan.h"

namespace causeway::bench {
namespace {

using decoder::Phase;

const kernels::DevicePeaks kH200 = kernels::FindDevice("h200").value();

std::vector<PredictedConv> Shard(Phase phase) {
  return PredictProgram(BuiltInPlan("wan2.1", {704, 320}).program(phase), kH200);
}

PredictedConv Find(const std::vector<PredictedConv>& convs, const std::string& signature) {
  for (const PredictedConv& conv : convs) {
    if (conv.signature == signature) return conv;
  }
  throw std::invalid_argument("no convolution " + signature);
}

int Steps(const std::vector<PredictedConv>& convs, const std::string& signature) {
  int steps = 0;
  for (const PredictedConv& conv : convs) steps += conv.signature == signature ? conv.steps : 0;
  return steps;
}

// The seed profiled such a decoder: its later-latent rows are this program's convolutions.
TEST(ConvPrediction, FindsTheSeedsRowsInTheDecoderOfItsShard) {
  const std::vector<PredictedConv> later = Shard(Phase::kLaterLatent);
  const PredictedConv up3 = Find(later, "96->96 3x3x3 4x704x320");
  EXPECT_DOUBLE_EQ(up3.seed_conv, 2926.7e-6);
  EXPECT_DOUBLE_EQ(up3.seed_row, 3678.0e-6);
  EXPECT_EQ(Steps(later, "96->96 3x3x3 4x704x320"), 6);
  EXPECT_EQ(Steps(later, "192->192 3x3x3 4x352x160"), 6);
  EXPECT_EQ(Steps(later, "384->384 3x3x3 1x88x40"), 10);
  EXPECT_DOUBLE_EQ(Find(later, "384->768 3x1x1 2x176x80").seed_row, 299.1e-6);
  EXPECT_DOUBLE_EQ(Find(later, "192->384 1x1x1 2x176x80").seed_row, 81.0e-6);
  EXPECT_DOUBLE_EQ(Find(later, "96->3 3x3x3 4x704x320").seed_row, 1515.0e-6);
  EXPECT_DOUBLE_EQ(Find(Shard(Phase::kFirstLatent), "96->96 3x3x3 1x704x320").seed_row, 1006.0e-6);
}

// 448.5 GFLOP at 395 and 790 TFLOP/s.
TEST(ConvPrediction, FloorIsThatOfTheShape) {
  const PredictedConv up3 = Find(Shard(Phase::kLaterLatent), "96->96 3x3x3 4x704x320");
  EXPECT_NEAR(up3.tf32.floor, 1135.3e-6, 1e-6);
  EXPECT_NEAR(up3.fp16.floor, 567.7e-6, 1e-6);
}

// One of three taps in time is computed.
TEST(ConvPrediction, TheFirstLatentCostsAThird) {
  const PredictedConv first = Find(Shard(Phase::kFirstLatent), "96->96 3x3x3 1x704x320");
  const PredictedConv later = Find(Shard(Phase::kLaterLatent), "96->96 3x3x3 4x704x320");
  EXPECT_NEAR(first.tf32.floor * 12, later.tf32.floor, 1e-9);
}

TEST(ConvPrediction, OnlyWhatThePortableKernelComputesHasAPrediction) {
  const std::vector<PredictedConv> later = Shard(Phase::kLaterLatent);
  for (const PredictedConv& conv : later) {
    const bool is_cube = conv.signature.find(" 3x3x3 ") != std::string::npos;
    const bool is_head = conv.signature.starts_with("96->3 ");
    EXPECT_EQ(conv.fp16.portable.has_value(), is_cube && !is_head) << conv.signature;
    EXPECT_EQ(conv.tf32.portable.has_value(), is_cube && !is_head) << conv.signature;
    EXPECT_GT(conv.fp16.floor, 0) << conv.signature;
  }
}

TEST(ConvPrediction, NothingIsFasterThanItsFloor) {
  for (const Phase phase : {Phase::kFirstLatent, Phase::kLaterLatent}) {
    for (const PredictedConv& conv : Shard(phase)) {
      if (!conv.fp16.portable) continue;
      EXPECT_GE(conv.fp16.portable->total, conv.fp16.floor) << conv.signature;
      EXPECT_GE(conv.tf32.portable->total, conv.tf32.floor) << conv.signature;
    }
  }
}

// A residual and a raw store are 4 bytes each for every value, after what the norm stores.
TEST(ConvPrediction, EpiloguesAreToldApartAndPaidFor) {
  const std::vector<PredictedConv> later = Shard(Phase::kLaterLatent);
  std::vector<PredictedConv> up3;
  for (const PredictedConv& conv : later) {
    if (conv.signature == "96->96 3x3x3 4x704x320") up3.push_back(conv);
  }
  ASSERT_EQ(up3.size(), 3u);
  EXPECT_EQ(up3[0].epilogue, "rms_silu");
  EXPECT_EQ(up3[1].epilogue, "add,raw,rms_silu");
  EXPECT_EQ(up3[2].epilogue, "add,rms_silu");
  EXPECT_NEAR(up3[1].fp16.portable->epilogue, 5 * up3[0].fp16.portable->epilogue, 1e-9);
  EXPECT_NEAR(up3[2].fp16.portable->epilogue, 3 * up3[0].fp16.portable->epilogue, 1e-9);
}

TEST(ConvPrediction, TheSeedHasItsSeventeenRows) {
  const std::vector<PredictedConv> rows = PredictSeed(kH200);
  ASSERT_EQ(rows.size(), 17u);
  EXPECT_EQ(rows[0].signature, "96->96 3x3x3 4x704x320");
  EXPECT_TRUE(rows[0].library);
  EXPECT_FALSE(rows[11].library);
}

TEST(PredictionReport, FitsATerminalOfAHundredAndFiftyColumns) {
  std::ostringstream text;
  PrintPredictions(Shard(Phase::kLaterLatent), text);
  PrintSeedPredictions(PredictSeed(kH200), text);
  PrintDevice(kH200, text);
  std::istringstream lines(text.str());
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 150u) << line;
  EXPECT_NE(text.str().find("nothing here was measured"), std::string::npos);
}

TEST(PredictionReport, JsonHasEveryRowAndNullWhereThereIsNothing) {
  JsonWriter json;
  WritePredictions(PredictSeed(kH200), json);
  const JsonValue written = ParseJson(json.text());
  ASSERT_EQ(written.array()->size(), 17u);
  const JsonValue& head = (*written.array())[9];
  EXPECT_EQ(*head.Find("signature")->string(), "96->3 3x3x3 4x704x320");
  EXPECT_TRUE(head.Find("portable_fp16")->is_null());
  EXPECT_FALSE(head.Find("library")->is_null());
  EXPECT_EQ(*(*written.array())[0].Find("library")->Find("bound")->string(), "L2");
}

}  // namespace
}  // namespace causeway::bench
