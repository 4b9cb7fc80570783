// SPDX-License-Identifier: Apache-2.0
#include "client/cli/progress.h"

#include <algorithm>
#include <sstream>

#include <gtest/gtest.h>

namespace causeway::cli {
namespace {

using Clock = Progress::Clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

// Any moment will do.
constexpr Clock::time_point kStart{std::chrono::hours(1)};

TEST(Progress, ShowsOneLineOnATerminalAndWipesIt) {
  std::ostringstream terminal;
  {
    Progress progress({&terminal, true}, 97, kStart);
    progress.Update(48, kStart);
  }
  const std::string text = terminal.str();
  EXPECT_NE(text.find("48/97 frames"), std::string::npos) << text;
  EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("\r\033[K")) << text;
}

TEST(Progress, UpdatesATerminalTenTimesASecond) {
  std::ostringstream terminal;
  Progress progress({&terminal, true}, 1000, kStart);
  for (int i = 1; i <= 1000; ++i) progress.Update(i, kStart + milliseconds(i));
  const std::string text = terminal.str();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\r'), 10);
  EXPECT_NE(text.find("1/1000"), std::string::npos);
}

TEST(Progress, PrintsPlainLinesNowAndThenElsewhere) {
  std::ostringstream log;
  {
    Progress progress({&log, false}, 97, kStart);
    for (int i = 1; i <= 25; ++i) progress.Update(i, kStart + seconds(i));
  }
  EXPECT_EQ(log.str(), "decoded 10 of 97 frames\ndecoded 20 of 97 frames\n");
}

TEST(Progress, IsSilentWhereNobodyReads) {
  Progress progress({}, 97, kStart);
  EXPECT_NO_THROW(progress.Update(1, kStart + seconds(100)));
}

}  // namespace
}  // namespace causeway::cli
