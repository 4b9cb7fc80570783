// SPDX-License-Identifier: Apache-2.0
#include "client/cli/interrupt.h"

#include <csignal>
#include <future>

#include <gtest/gtest.h>
#include <unistd.h>

namespace causeway::cli {
namespace {

TEST(Interrupt, RunsTheActionOnceForSigintAndSigterm) {
  for (const int signal : {SIGINT, SIGTERM}) {
    Interrupt interrupt;
    std::promise<void> called;
    interrupt.SetAction([&called] { called.set_value(); });
    EXPECT_FALSE(interrupt.has_come());
    // A second one would make set_value throw.
    ASSERT_EQ(kill(getpid(), signal), 0);
    called.get_future().wait();
    interrupt.SetAction({});
    EXPECT_TRUE(interrupt.has_come());
  }
}

TEST(Interrupt, RunsAnActionThatComesAfterTheSignalAtOnce) {
  Interrupt interrupt;
  std::promise<void> called;
  interrupt.SetAction([&called] { called.set_value(); });
  ASSERT_EQ(kill(getpid(), SIGINT), 0);
  called.get_future().wait();
  bool is_called = false;
  interrupt.SetAction([&is_called] { is_called = true; });
  EXPECT_TRUE(is_called);
}

TEST(Interrupt, EndsQuietlyWithoutASignal) {
  Interrupt interrupt;
  EXPECT_FALSE(interrupt.has_come());
}

}  // namespace
}  // namespace causeway::cli
