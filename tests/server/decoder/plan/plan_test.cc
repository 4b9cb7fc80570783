// SPDX-License-Identifier: Apache-2.0
#include "server/decoder/plan/plan.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "server/decoder/models/registry.h"

namespace causeway::decoder {
namespace {

Plan WanPlan(const Geometry& geometry) { return BuildPlan(BuiltInModels().front(), geometry); }

TEST(Plan, EveryValueIsWrittenBeforeItIsReadAndReleasedExactlyOnce) {
  const Plan plan = WanPlan({64, 64});
  for (const Phase phase : {Phase::kFirstLatent, Phase::kLaterLatent}) {
    const Program& program = plan.program(phase);
    const auto releases = ReleaseLists(program);
    std::set<ValueId> alive{program.latent};
    std::set<ValueId> released;
    for (std::size_t index = 0; index < program.steps.size(); ++index) {
      const Step& step = program.steps[index];
      EXPECT_TRUE(alive.contains(step.source)) << step.name;
      if (step.epilogue.residual != kNoValue) {
        EXPECT_TRUE(alive.contains(step.epilogue.residual)) << step.name;
      }
      for (const ValueId value : {step.epilogue.raw_output, step.epilogue.normed_output}) {
        if (value == kNoValue) continue;
        EXPECT_TRUE(alive.insert(value).second) << step.name;
      }
      for (const ValueId value : releases[index]) {
        EXPECT_EQ(alive.erase(value), 1U) << step.name;
        EXPECT_TRUE(released.insert(value).second) << step.name;
      }
    }
    EXPECT_EQ(alive, std::set<ValueId>{program.frames}) << PhaseName(phase);
  }
}

TEST(Plan, ANormedValueHasExactlyOneReaderSoThatItCanBeStoredInThatReadersWindow) {
  const Plan plan = WanPlan({64, 64});
  for (const Step& writer : plan.later.steps) {
    if (writer.epilogue.normed_output == kNoValue) continue;
    const auto readers =
        std::count_if(plan.later.steps.begin(), plan.later.steps.end(), [&](const Step& reader) {
          return reader.source == writer.epilogue.normed_output ||
                 reader.epilogue.residual == writer.epilogue.normed_output;
        });
    EXPECT_EQ(readers, 1) << writer.name;
  }
}

TEST(Plan, ReplayDepthFollowsFromTheChainOfHistories) {
  // 12 convolutions at one frame a latent, 7 at two, 13 at four: 24 + 7 + 6.5, rounded up.
  EXPECT_EQ(ReplayLatents(WanPlan({64, 64})), 38);
}

TEST(Plan, PeakOfActivationsIsAtLeastTheLargestStepAndLessThanEverythingTogether) {
  const Program program = WanPlan({64, 64}).later;
  std::int64_t largest = 0;
  std::int64_t everything = 0;
  for (const Step& step : program.steps) {
    largest = std::max(largest, step.output.elements());
    everything += 2 * step.output.elements();
  }
  EXPECT_GE(PeakActivationElements(program), largest);
  EXPECT_LT(PeakActivationElements(program), everything);
}

TEST(Plan, ElementCountsBeyond32BitsAreExact) {
  // One 96-channel activation of four 8192x8192 frames has 2^35 * 0.75 elements.
  const Plan plan = WanPlan({8192, 8192});
  const Step& last = plan.later.steps.back();
  EXPECT_EQ(last.input.elements(), std::int64_t{4} * 8192 * 8192 * 96);
  EXPECT_EQ(last.flops, 2 * std::int64_t{4} * 8192 * 8192 * 3 * 96 * 27);
}

}  // namespace
}  // namespace causeway::decoder
