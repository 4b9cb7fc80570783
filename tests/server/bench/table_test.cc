// SPDX-License-Identifier: Apache-2.0
#include "server/bench/table.h"

#include <sstream>
#include <stdexcept>

#include <gtest/gtest.h>

namespace causeway::bench {
namespace {

TEST(Table, AlignsColumnsAndLeavesNoBlanksAtTheEnd) {
  Table table({{"name"}, {"ms", Align::kRight}, {"note"}});
  table.AddRow({"a", "1.5", ""});
  table.AddHeading("block mid");
  table.AddRow({"longer", "12.25", "x"});
  table.AddRule();
  table.AddRow({"sum", "13.75", ""});
  std::ostringstream out;
  table.Print(out);
  EXPECT_EQ(out.str(),
            "name       ms  note\n"
            "-------------------\n"
            "a         1.5\n"
            "block mid\n"
            "longer  12.25  x\n"
            "-------------------\n"
            "sum     13.75\n");
}

TEST(Table, RefusesARowOfAnotherNumberOfCells) {
  Table table({{"a"}, {"b"}});
  EXPECT_THROW(table.AddRow({"1"}), std::logic_error);
}

TEST(Table, PairsAlignTheirValues) {
  std::ostringstream out;
  PrintPairs({{"fps", "3"}, {"first frame", "4 ms"}}, out);
  EXPECT_EQ(out.str(),
            "fps          3\n"
            "first frame  4 ms\n");
}

}  // namespace
}  // namespace causeway::bench
