// SPDX-License-Identifier: Apache-2.0
#include "server/bench/explain_report.h"

#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "server/base/json.h"
#include "tests/server/bench/built_in_plan.h"

namespace causeway::bench {
namespace {

using decoder::Geometry;
using decoder::Phase;

std::string Printed(const Geometry& geometry, Phase phase) {
  std::ostringstream out;
  PrintProgram(BuiltInPlan("wan2.1", geometry), phase, out);
  return out.str();
}

/// The line that starts with these words, its runs of blanks made one; empty where there is none.
std::string Line(const std::string& text, const std::string& start) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string joined;
    for (std::string word; words >> word;) joined += (joined.empty() ? word : " " + word);
    if (joined.starts_with(start)) return joined;
  }
  return {};
}

JsonValue Written(const Geometry& geometry, Phase phase) {
  JsonWriter json;
  WriteProgram(BuiltInPlan("wan2.1", geometry), phase, json);
  return ParseJson(json.text());
}

struct Total {
  Geometry geometry;
  Phase phase;
  std::int64_t gigaflop;  // rounded
};

// 2 x multiply-adds of Wan 2.1's decoder by hand from the shapes of its layers; for 832x464 a
// public profile of one chunk of 4 latents counts 52.2 TFLOP, these give 52.4.
TEST(ExplainReport, TotalsAreThoseOfTheGraph) {
  for (const Total& total :
       {Total{{704, 1280}, Phase::kFirstLatent, 9990},
        Total{{704, 1280}, Phase::kLaterLatent, 30744},
        Total{{704, 320}, Phase::kFirstLatent, 2440}, Total{{704, 320}, Phase::kLaterLatent, 7629},
        Total{{720, 1280}, Phase::kFirstLatent, 10224},
        Total{{720, 1280}, Phase::kLaterLatent, 31450},
        Total{{480, 832}, Phase::kFirstLatent, 4352}, Total{{480, 832}, Phase::kLaterLatent, 13550},
        Total{{464, 832}, Phase::kFirstLatent, 4205},
        Total{{464, 832}, Phase::kLaterLatent, 13096}}) {
    const JsonValue written = Written(total.geometry, total.phase);
    const std::int64_t flops = written.Find("totals")->Find("flops")->integer().value();
    EXPECT_EQ((flops + 500'000'000) / 1'000'000'000, total.gigaflop)
        << ToString(total.geometry) << ", " << PhaseName(total.phase);
  }
}

TEST(ExplainReport, PrintsTheTotalsAndTheirSplit) {
  const std::string text = Printed({704, 1280}, Phase::kLaterLatent);
  EXPECT_EQ(Line(text, "as defined"), "as defined 30,743.91 100.0 %");
  EXPECT_EQ(Line(text, "conv3d"), "conv3d 27,881.55 90.7 %");
  EXPECT_EQ(Line(text, "conv2d"), "conv2d 2,557.85 8.3 %");
  EXPECT_EQ(Line(text, "of it after upsampling"), "of it after upsampling 2,541.24 8.3 %");
  EXPECT_EQ(Line(text, "attention core"), "attention core 304.51 1.0 %");
  EXPECT_EQ(Line(text, "parameters of the model"), "parameters of the model 73,295,603");
}

// The folded upsample executes 4/9 of 2,541.24 GFLOP: 1,411.80 less.
TEST(ExplainReport, PrintsWhatIsExecuted) {
  EXPECT_EQ(Line(Printed({704, 1280}, Phase::kLaterLatent), "executed"),
            "executed 29,332.11 95.4 %");
}

TEST(ExplainReport, PrintsAStepWithAllItsFacts) {
  const std::string text = Printed({704, 1280}, Phase::kLaterLatent);
  EXPECT_EQ(Line(text, "up1.res0.conv2"),
            "up1.res0.conv2 causal_conv 3x3x3 2,384,176,320 2,384,176,320 13 add,raw,rms_silu "
            "convolution_or_gemm 896.91 896.91 825.0 15.2");
  EXPECT_EQ(Line(text, "mid.attn.core"),
            "mid.attn.core attention - 1,1152,88,160 1,384,88,160 - raw attention 304.51 304.51 "
            "82.5 0.0");
  EXPECT_EQ(Line(text, "up2.conv2d"),
            "up2.conv2d up_conv 3x3 4,192,352,640 4,96,704,1280 - raw,rms_silu "
            "convolution_or_gemm 1,195.88 531.50 3,300.0 0.6");
}

TEST(ExplainReport, FirstLatentHasNoTimeConvolution) {
  const std::string first = Printed({704, 1280}, Phase::kFirstLatent);
  EXPECT_EQ(Line(first, "up0.time_conv"), "");
  EXPECT_NE(Line(Printed({704, 1280}, Phase::kLaterLatent), "up0.time_conv"), "");
  EXPECT_TRUE(first.starts_with("first latent, 704x1280: 1 frame\n"));
}

TEST(ExplainReport, FitsATerminalOfAHundredAndFiftyColumns) {
  std::istringstream lines(Printed({704, 1280}, Phase::kLaterLatent));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 150u) << line;
}

TEST(ExplainReport, JsonStepsSumToTheTotals) {
  const JsonValue written = Written({480, 832}, Phase::kFirstLatent);
  std::int64_t flops = 0;
  std::int64_t executed = 0;
  for (const JsonValue& step : *written.Find("steps")->array()) {
    flops += step.Find("flops")->integer().value();
    executed += step.Find("executed_flops")->integer().value();
  }
  const JsonValue& totals = *written.Find("totals");
  EXPECT_EQ(flops, totals.Find("flops")->integer());
  EXPECT_EQ(executed, totals.Find("executed_flops")->integer());
  EXPECT_LT(executed, flops);
  EXPECT_EQ(*written.Find("phase")->string(), "first");
  EXPECT_EQ(written.Find("frames")->integer(), 1);
}

}  // namespace
}  // namespace causeway::bench
