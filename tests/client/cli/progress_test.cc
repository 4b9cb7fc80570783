// SPDX-License-Identifier: Apache-2.0
#include "client/cli/progress.h"

#include <sstream>

#include <gtest/gtest.h>

namespace causeway::cli {
namespace {

TEST(Progress, ShowsOneLineAndWipesIt) {
  std::ostringstream terminal;
  {
    Progress progress(&terminal, 97);
    progress.Update(48);
  }
  const std::string text = terminal.str();
  EXPECT_NE(text.find("48/97 frames"), std::string::npos) << text;
  EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("\r\033[K")) << text;
}

TEST(Progress, ShowsUpdatesThatFollowAtOnceOnlyOnce) {
  std::ostringstream terminal;
  Progress progress(&terminal, 1'000'000);
  for (int i = 1; i <= 1000; ++i) progress.Update(i);
  // A thousand updates take no second: ten a second are shown at most, and the first one always.
  EXPECT_LT(terminal.str().size(), std::size_t{20} * 60);
  EXPECT_NE(terminal.str().find("1/1000000"), std::string::npos);
}

TEST(Progress, IsSilentWithoutATerminal) {
  Progress progress(nullptr, 97);
  EXPECT_NO_THROW(progress.Update(1));
}

}  // namespace
}  // namespace causeway::cli
