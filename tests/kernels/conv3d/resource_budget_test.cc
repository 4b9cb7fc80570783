// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv3d/resource_budget.h"

#include <vector>

#include <gtest/gtest.h>

#include "causeway/kernels/conv3d.h"

namespace causeway::kernels {
namespace {

struct Budget {
  TileConfig config;
  int registers_16;
  int registers_tf32;
  std::int64_t shared_bytes;
};

std::vector<Budget> Budgets() {
  std::vector<Budget> budgets;
#define CAUSEWAY_BUDGET_ROW(h, w, wm, wn, mm, mn, units, stages, r16, r32, shared) \
  budgets.push_back({{h, w, wm, wn, mm, mn, units, stages}, r16, r32, shared});
  CAUSEWAY_CONV3D_BUDGETS(CAUSEWAY_BUDGET_ROW)
#undef CAUSEWAY_BUDGET_ROW
  return budgets;
}

TEST(ResourceBudget, HasEachCompiledFormOnce) {
  const std::vector<Budget> budgets = Budgets();
  ASSERT_EQ(budgets.size(), TileConfigs().size());
  for (std::size_t i = 0; i < budgets.size(); ++i) {
    EXPECT_EQ(budgets[i].config, TileConfigs()[i]) << ToString(TileConfigs()[i]);
  }
}

TEST(ResourceBudget, SharedMemoryIsWhatALaunchAsksFor) {
  for (const Budget& budget : Budgets()) {
    EXPECT_EQ(budget.shared_bytes, budget.config.shared_bytes()) << ToString(budget.config);
  }
}

// A thread has at most 255 registers, and a block has to fit into one multiprocessor.
TEST(ResourceBudget, ABlockFitsEveryArchitecturesRegisters) {
  for (const Budget& budget : Budgets()) {
    for (const int registers : {budget.registers_16, budget.registers_tf32}) {
      EXPECT_LE(registers, 255);
      EXPECT_EQ(registers % 8, 0) << "registers are handed out in units of 8";
      for (const Architecture& architecture : Architectures()) {
        EXPECT_LE(registers * budget.config.threads(), architecture.registers_per_processor)
            << ToString(budget.config) << " on " << architecture.name;
      }
    }
  }
}

}  // namespace
}  // namespace causeway::kernels
