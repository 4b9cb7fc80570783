// SPDX-License-Identifier: Apache-2.0
#include "server/bench/plan_sizes.h"

#include <gtest/gtest.h>

#include "tests/server/bench/built_in_plan.h"

namespace causeway::bench {
namespace {

constexpr std::int64_t kMebibyteBytes = 1 << 20;

std::int64_t RoundedMebibytes(std::int64_t bytes) {
  return (bytes + kMebibyteBytes / 2) / kMebibyteBytes;
}

// Counted by diffusers 0.42.1 on AutoencoderKLWan: the decoder's 73,295,331 and conv2's 272.
TEST(PlanSizes, Wan21HasTheParametersOfDiffusers) {
  EXPECT_EQ(ParameterCount(BuiltInPlan("wan2.1", {64, 64})), 73'295'603);
}

TEST(PlanSizes, StateIsThatOfTheThirtyTwoSlots) {
  const PlanSizes large = MeasureSizes(BuiltInPlan("wan2.1", {704, 1280}));
  EXPECT_EQ(large.state, 2'130'698'240);
  EXPECT_EQ(RoundedMebibytes(large.state * 4), 8128);
  EXPECT_EQ(RoundedMebibytes(large.state * 2), 4064);
  const PlanSizes small = MeasureSizes(BuiltInPlan("wan2.1", {480, 832}));
  EXPECT_EQ(RoundedMebibytes(small.state * 4), 3602);
  EXPECT_EQ(RoundedMebibytes(small.state * 2), 1801);
}

TEST(PlanSizes, ParametersDoNotDependOnTheGeometry) {
  EXPECT_EQ(ParameterCount(BuiltInPlan("wan2.1", {8, 8})),
            ParameterCount(BuiltInPlan("wan2.1", {704, 1280})));
}

TEST(PlanSizes, SlotClassesHoldEverySlotOnce) {
  const decoder::Plan plan = BuiltInPlan("wan2.1", {704, 1280});
  const std::vector<SlotClass> classes = SlotClasses(plan);
  ASSERT_EQ(classes.size(), 6u);
  int slots = 0;
  std::int64_t elements = 0;
  for (const SlotClass& group : classes) {
    slots += group.slots;
    elements += group.elements();
  }
  EXPECT_EQ(slots, 32);
  EXPECT_EQ(elements, decoder::StateElements(plan));
  EXPECT_EQ(classes.front().shape, (decoder::ActivationShape{2, 88, 160, 16}));
  EXPECT_EQ(classes.front().slots, 1);
  EXPECT_EQ(classes[1].shape, (decoder::ActivationShape{2, 88, 160, 384}));
  EXPECT_EQ(classes[1].slots, 11);
  EXPECT_EQ(classes.back().shape, (decoder::ActivationShape{2, 704, 1280, 96}));
  EXPECT_EQ(classes.back().slots, 7);
}

TEST(PlanSizes, SessionsTakeWhatWeightsAndActivationsLeave) {
  const PlanSizes sizes{.parameters = 100, .state = 10, .peak_activations = 20};
  EXPECT_EQ(sizes.SessionsIn(4 * 149, 4), 2);
  EXPECT_EQ(sizes.SessionsIn(4 * 150, 4), 3);
  EXPECT_EQ(sizes.SessionsIn(2 * 150, 2), 3);
  EXPECT_EQ(sizes.SessionsIn(4 * 120, 4), 0);
  EXPECT_EQ(sizes.SessionsIn(4, 4), 0);
}

}  // namespace
}  // namespace causeway::bench
