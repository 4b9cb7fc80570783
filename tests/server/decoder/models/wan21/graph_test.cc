// SPDX-License-Identifier: Apache-2.0
// The Wan 2.1 plan against figures that were computed from diffusers' own module by a separate
// script (counts, GFLOP = 2 x multiply-adds, all taps and padding counted), and against the
// conv3d signatures of the profile that Causeway is measured by.
#include "server/decoder/models/wan21/graph.h"

#include <cmath>
#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "server/decoder/models/registry.h"
#include "server/decoder/models/wan21/weight_list.h"

namespace causeway::decoder::wan21 {
namespace {

ModelConfig Wan() { return BuiltInModels()[0]; }
ModelConfig LightVae() { return BuiltInModels()[1]; }

double Gigaflops(std::int64_t flops) { return static_cast<double>(flops) * 1e-9; }

/// Rounded to one decimal, as the published figures are.
double Tenths(std::int64_t flops) { return std::round(Gigaflops(flops) * 10.0) / 10.0; }

TEST(Graph, FlopsAreThePublishedOnesForEveryPublishedGeometry) {
  struct Row {
    Geometry geometry;
    double first, later;
  };
  for (const Row& row : {Row{{704, 1280}, 9989.9, 30743.9}, Row{{704, 320}, 2440.4, 7628.9},
                         Row{{480, 832}, 4352.2, 13550.0}}) {
    const Plan plan = BuildGraph(Wan(), row.geometry);
    EXPECT_DOUBLE_EQ(Tenths(Sum(plan.first).flops), row.first) << ToString(row.geometry);
    EXPECT_DOUBLE_EQ(Tenths(Sum(plan.later).flops), row.later) << ToString(row.geometry);
  }
  for (const Row& row : {Row{{720, 1280}, 10224, 31450}, Row{{464, 832}, 4205, 13096}}) {
    const Plan plan = BuildGraph(Wan(), row.geometry);
    EXPECT_EQ(std::round(Gigaflops(Sum(plan.first).flops)), row.first) << ToString(row.geometry);
    EXPECT_EQ(std::round(Gigaflops(Sum(plan.later).flops)), row.later) << ToString(row.geometry);
  }
  EXPECT_EQ(std::round(Gigaflops(Sum(BuildGraph(LightVae(), {704, 1280}).later).flops) / 10.0),
            199);
}

TEST(Graph, FlopsSplitIntoConv3dConv2dAndAttentionAsPublished) {
  const ProgramTotals totals = Sum(BuildGraph(Wan(), {704, 1280}).later);
  EXPECT_EQ(std::round(Gigaflops(totals.conv3d_flops)), 27882);
  EXPECT_EQ(std::round(Gigaflops(totals.conv2d_flops)), 2558);
  EXPECT_EQ(std::round(Gigaflops(totals.upsample_flops)), 2541);
  EXPECT_DOUBLE_EQ(Tenths(totals.attention_flops), 304.5);
}

TEST(Graph, TheExactSavingsAreAThirdOfTheTapsAndFourNinthsOfTheUpsampling) {
  const Plan plan = BuildGraph(Wan(), {704, 1280});
  const ProgramTotals later = Sum(plan.later);
  EXPECT_EQ(later.flops - later.executed_flops, later.upsample_flops / 9 * 5);
  EXPECT_EQ(std::round(Gigaflops(later.flops - later.executed_flops)), 1412);
  // One tap in time of three, the rest of the network as it is: published as 2.5 times cheaper.
  const ProgramTotals first = Sum(plan.first);
  const std::int64_t one_tap = first.executed_flops + first.upsample_flops / 9 * 5;
  EXPECT_NEAR(static_cast<double>(first.flops) / static_cast<double>(one_tap), 2.5, 0.005);
}

TEST(Graph, StateOfASessionIsThePublishedNumberOfElements) {
  EXPECT_EQ(StateElements(BuildGraph(Wan(), {704, 1280})), 2'130'698'240);
  const auto mebibytes_half = [](const Geometry& geometry) {
    return static_cast<double>(StateElements(BuildGraph(Wan(), geometry))) * 2.0 / 1048576.0;
  };
  EXPECT_EQ(std::round(mebibytes_half({704, 1280})), 4064);
  EXPECT_EQ(std::round(mebibytes_half({704, 320})), 1016);
  EXPECT_EQ(std::round(mebibytes_half({480, 832})), 1801);
  EXPECT_EQ(std::round(mebibytes_half({464, 832})), 1741);
}

TEST(Graph, SlotsAreTheSameInBothPhasesAndStandInTheOrderOfTheGraph) {
  const Plan plan = BuildGraph(Wan(), {704, 1280});
  ASSERT_EQ(plan.slots.size(), 32U);
  EXPECT_EQ(plan.slots[0].step, "conv_in");
  EXPECT_EQ(plan.slots[0].shape, (ActivationShape{2, 88, 160, 16}));
  EXPECT_EQ(plan.slots[11].step, "up0.time_conv");
  EXPECT_EQ(plan.slots[12].shape, (ActivationShape{2, 176, 320, 192}));
  EXPECT_EQ(plan.slots[18].step, "up1.time_conv");
  EXPECT_EQ(plan.slots[31].step, "conv_out");
  EXPECT_EQ(plan.slots[31].shape, (ActivationShape{2, 704, 1280, 96}));
  for (const Program* program : {&plan.first, &plan.later}) {
    for (const Step& step : program->steps) {
      if (step.cache_slot == kNoSlot) continue;
      EXPECT_EQ(plan.slots[static_cast<std::size_t>(step.cache_slot)].step, step.name);
    }
  }
}

TEST(Graph, TheFirstLatentSkipsBothTimeConvolutionsAndGivesOneFrame) {
  const Plan plan = BuildGraph(Wan(), {64, 64});
  std::set<std::string> only_later;
  for (const Step& step : plan.later.steps) only_later.insert(step.name);
  for (const Step& step : plan.first.steps) {
    EXPECT_EQ(only_later.erase(step.name), 1U);
    EXPECT_EQ(step.output.frames, 1) << step.name;
  }
  EXPECT_EQ(only_later, (std::set<std::string>{"up0.time_conv", "up1.time_conv"}));
  EXPECT_EQ(plan.later.steps.back().output, (ActivationShape{4, 64, 64, 3}));
}

TEST(Graph, NamesExactlyTheWeightsOfTheModel) {
  for (const ModelConfig& config : BuiltInModels()) {
    std::set<std::string> listed;
    std::int64_t listed_elements = 0;
    for (const WeightSpec& spec : ListWeights(config)) {
      listed.insert(spec.name);
      std::int64_t elements = 1;
      for (const std::int64_t extent : spec.shape) elements *= extent;
      listed_elements += elements;
    }
    std::set<std::string> used;
    std::int64_t used_elements = 0;
    for (const Step& step : BuildGraph(config, {8, 8}).later.steps) {
      used_elements += step.weight_elements;
      for (const std::string& name : {step.weight, step.bias, step.epilogue.norm_weight}) {
        if (!name.empty()) used.insert(name);
      }
      if (!step.epilogue.norm_weight.empty()) used_elements += step.output.channels;
    }
    EXPECT_EQ(used, listed) << config.name;
    EXPECT_EQ(used_elements, listed_elements) << config.name;
  }
}

/// "C,T,H,W->C,T,H,W kernel" of a 3-D convolution as a profiler sees it: the input with its
/// history and padding.
std::string ProfiledSignature(const Step& step) {
  const int time_pad = step.kernel.time - 1;
  const int space_pad = step.kernel.height - 1;
  const bool is_time_conv = step.kind == StepKind::kTimeConv;
  const auto text = [](int c, int t, int h, int w) {
    return std::to_string(c) + "," + std::to_string(t) + "," + std::to_string(h) + "," +
           std::to_string(w);
  };
  return text(step.input.channels, step.input.frames + time_pad, step.input.height + space_pad,
              step.input.width + space_pad) +
         "->" +
         text(is_time_conv ? 2 * step.output.channels : step.output.channels, step.input.frames,
              step.output.height, step.output.width) +
         " " + std::to_string(step.kernel.time) + "x" + std::to_string(step.kernel.height) + "x" +
         std::to_string(step.kernel.width);
}

std::map<std::string, int> ProfiledCalls(const Program& program) {
  std::map<std::string, int> calls;
  for (const Step& step : program.steps) {
    if (step.is_3d && step.kind != StepKind::kUnnormalise) ++calls[ProfiledSignature(step)];
  }
  return calls;
}

TEST(Graph, GivesTheSeedProfilesConv3dSignaturesAndCallsForItsShard) {
  const Plan plan = BuildGraph(Wan(), {704, 320});
  EXPECT_EQ(ProfiledCalls(plan.later),
            (std::map<std::string, int>{{"96,6,706,322->96,4,704,320 3x3x3", 6},
                                        {"192,6,354,162->192,4,352,160 3x3x3", 6},
                                        {"384,4,178,82->384,2,176,80 3x3x3", 5},
                                        {"384,3,90,42->384,1,88,40 3x3x3", 10},
                                        {"192,4,178,82->384,2,176,80 3x3x3", 1},
                                        {"384,4,176,80->768,2,176,80 3x1x1", 1},
                                        {"96,6,706,322->3,4,704,320 3x3x3", 1},
                                        {"384,3,88,40->768,1,88,40 3x1x1", 1},
                                        {"192,2,176,80->384,2,176,80 1x1x1", 1},
                                        {"16,3,90,42->384,1,88,40 3x3x3", 1}}));
  EXPECT_EQ(ProfiledCalls(plan.first),
            (std::map<std::string, int>{{"384,3,90,42->384,1,88,40 3x3x3", 10},
                                        {"96,3,706,322->96,1,704,320 3x3x3", 6},
                                        {"192,3,354,162->192,1,352,160 3x3x3", 6},
                                        {"384,3,178,82->384,1,176,80 3x3x3", 5},
                                        {"192,3,178,82->384,1,176,80 3x3x3", 1},
                                        {"16,3,90,42->384,1,88,40 3x3x3", 1},
                                        {"96,3,706,322->3,1,704,320 3x3x3", 1},
                                        {"192,1,176,80->384,1,176,80 1x1x1", 1}}));
}

}  // namespace
}  // namespace causeway::decoder::wan21
