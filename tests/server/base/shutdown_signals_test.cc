// SPDX-License-Identifier: Apache-2.0
#include "server/base/shutdown_signals.h"

#include <future>
#include <mutex>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

namespace causeway {
namespace {

TEST(ShutdownSignals, CountsTheSignalsOfTheProcess) {
  ShutdownSignals signals;
  std::promise<int> first;
  std::promise<int> second;
  signals.Watch([&](int count) { (count == 1 ? first : second).set_value(count); });
  kill(getpid(), SIGTERM);
  EXPECT_EQ(first.get_future().get(), 1);
  kill(getpid(), SIGINT);
  EXPECT_EQ(second.get_future().get(), 2);
}

TEST(ShutdownSignals, EndsWithoutASignal) {
  ShutdownSignals signals;
  signals.Watch([](int) { FAIL() << "nobody sent a signal"; });
}

TEST(ShutdownSignals, EndsWithoutAWatcher) { const ShutdownSignals signals; }

TEST(ShutdownSignals, RestoresTheSignalMask) {
  sigset_t before;
  sigset_t after;
  pthread_sigmask(SIG_SETMASK, nullptr, &before);
  { const ShutdownSignals signals; }
  pthread_sigmask(SIG_SETMASK, nullptr, &after);
  EXPECT_EQ(sigismember(&before, SIGTERM), sigismember(&after, SIGTERM));
  EXPECT_EQ(sigismember(&before, SIGINT), sigismember(&after, SIGINT));
}

}  // namespace
}  // namespace causeway
