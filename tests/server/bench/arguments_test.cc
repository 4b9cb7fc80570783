// SPDX-License-Identifier: Apache-2.0
#include "server/bench/arguments.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/server/bench/usage_error_of.h"

namespace causeway::bench {
namespace {

using Words = std::vector<std::string>;

const std::vector<Flag>& Flags() {
  static const std::vector<Flag> flags{{"model", "PATH", "the model", true},
                                       {"threads", "N", "CPU threads", false},
                                       {"json", "", "JSON", false}};
  return flags;
}

std::string Refusal(const Words& words) {
  return UsageErrorOf([&] { Arguments(Flags(), words); });
}

TEST(Arguments, TakesAValueAfterABlankOrAnEqualsSign) {
  const Arguments arguments(Flags(), Words{"--model", "a", "--threads=3"});
  EXPECT_EQ(arguments.Get("model"), "a");
  EXPECT_EQ(arguments.Get("threads"), "3");
  EXPECT_FALSE(arguments.Has("json"));
}

TEST(Arguments, KeepsEqualsSignsWithinAValue) {
  EXPECT_EQ(Arguments(Flags(), Words{"--model=a=b"}).Get("model"), "a=b");
}

TEST(Arguments, TakesAFlagWithoutAValue) {
  const Arguments arguments(Flags(), Words{"--json", "--model", "a"});
  EXPECT_TRUE(arguments.Has("json"));
  EXPECT_EQ(arguments.Get("model"), "a");
}

TEST(Arguments, TakesANegativeNumberAsAValue) {
  EXPECT_EQ(Arguments(Flags(), Words{"--model", "a", "--threads", "-1"}).Get("threads"), "-1");
}

TEST(Arguments, RefusesAnUnknownFlagAndListsTheKnownOnes) {
  EXPECT_EQ(Refusal({"--model", "a", "--thread", "3"}),
            "unknown flag '--thread', allowed: --model, --threads, --json, --help");
}

TEST(Arguments, RefusesAWordThatIsNoFlag) {
  EXPECT_EQ(Refusal({"--model", "a", "b"}),
            "unexpected argument 'b', allowed: --model, --threads, --json, --help");
}

TEST(Arguments, RefusesAMissingValue) {
  EXPECT_EQ(Refusal({"--model"}), "--model: no value, allowed: --model PATH");
  EXPECT_EQ(Refusal({"--model", "--json"}), "--model: no value, allowed: --model PATH");
  EXPECT_EQ(Refusal({"--model="}), "--model: no value, allowed: --model PATH");
}

TEST(Arguments, RefusesAValueForAFlagWithoutOne) {
  EXPECT_EQ(Refusal({"--model", "a", "--json=1"}), "--json: got '1', allowed: no value");
}

TEST(Arguments, RefusesARepeatedFlag) {
  EXPECT_EQ(Refusal({"--model", "a", "--model=b"}), "--model: given twice, allowed: once");
}

TEST(Arguments, RefusesToDoWithoutARequiredFlag) {
  EXPECT_EQ(Refusal({"--json"}), "--model: missing, required: --model PATH");
}

TEST(Arguments, ShowsControlCharactersAsOneLine) {
  EXPECT_EQ(Refusal({"--a\nb"}),
            "unknown flag '--a?b', allowed: --model, --threads, --json, --help");
}

TEST(Arguments, HelpAlignsTheFlagsOfTheTable) {
  EXPECT_EQ(FlagsHelp(Flags()),
            "  --model PATH  the model (required)\n"
            "  --threads N   CPU threads\n"
            "  --json        JSON\n");
}

}  // namespace
}  // namespace causeway::bench
