// SPDX-License-Identifier: Apache-2.0
#include "kernels/simt/fiber.h"

#include <cstdint>
#include <set>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

namespace causeway::kernels::simt {
namespace {

Fiber* first = nullptr;
Fiber* second = nullptr;
Fiber* outside = nullptr;
std::vector<int> trace;

void Entry() {
  const bool is_first = trace.empty();
  for (int i = 0; i < 3; ++i) {
    // Values that live across a switch, in registers of both kinds.
    const double half = i * 0.5;
    trace.push_back((is_first ? 100 : 200) + i);
    (is_first ? *first : *second).SwitchTo(is_first ? *second : *first);
    trace.push_back(static_cast<int>(half * 2));
  }
  (is_first ? *first : *second).SwitchForGood(*outside);
}

TEST(Fiber, GoesOnWhereItLeft) {
  StackPool stacks;
  stacks.Reserve(2);
  Fiber a;
  Fiber b;
  Fiber here;
  first = &a;
  second = &b;
  outside = &here;
  trace.clear();
  a.Start(stacks.Stack(0), stacks.StackBytes(0), &Entry);
  b.Start(stacks.Stack(1), stacks.StackBytes(1), &Entry);
  here.SwitchTo(a);
  EXPECT_EQ(trace, (std::vector<int>{100, 200, 0, 101, 0, 201, 1, 102, 1, 202, 2}));
  here.SwitchTo(b);
  EXPECT_EQ(trace.back(), 2);
  EXPECT_EQ(trace.size(), 12u);
}

bool caught = false;

void Throwing() {
  try {
    throw std::runtime_error("inside");
  } catch (const std::runtime_error&) {
    caught = true;
  }
  first->SwitchForGood(*outside);
}

TEST(Fiber, CatchesWhatItThrows) {
  StackPool stacks;
  stacks.Reserve(1);
  Fiber fiber;
  Fiber here;
  first = &fiber;
  outside = &here;
  fiber.Start(stacks.Stack(0), stacks.StackBytes(0), &Throwing);
  here.SwitchTo(fiber);
  EXPECT_TRUE(caught);
}

TEST(StackPool, SpreadsTheTopsOverCacheLines) {
  StackPool stacks;
  stacks.Reserve(64);
  std::set<uintptr_t> lines;
  for (int i = 0; i < 64; ++i) {
    const auto top = reinterpret_cast<uintptr_t>(stacks.Stack(i)) + stacks.StackBytes(i);
    EXPECT_EQ(top % 64, 0u);
    lines.insert(top % 4096);
  }
  EXPECT_EQ(lines.size(), 64u);  // all 64 lines of a page
}

}  // namespace
}  // namespace causeway::kernels::simt
