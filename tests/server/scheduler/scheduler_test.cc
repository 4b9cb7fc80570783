// SPDX-License-Identifier: Apache-2.0
#include "server/scheduler/scheduler.h"

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/fake_decode_worker.h"

namespace causeway {
namespace {

using std::chrono::milliseconds;
using testing::Gate;
using testing::kDeadline;

/// The order in which units ran.
class Journal {
 public:
  void Add(const std::string& name) {
    const std::lock_guard lock(mutex_);
    names_ += name;
    changed_.notify_all();
  }
  std::string WaitForLength(std::size_t length) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kDeadline, [&] { return names_.size() >= length; });
    return names_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string names_;
};

/// Runs units that are due at the given times after a common start.
class ScriptedSource : public WorkSource {
 public:
  ScriptedSource(std::string name, Journal& journal, Gate& gate, Clock::time_point start,
                 std::vector<int> due_ms)
      : name_(std::move(name)),
        journal_(journal),
        gate_(gate),
        start_(start),
        due_ms_(std::move(due_ms)) {}

  Clock::time_point Due(std::size_t unit) const { return start_ + milliseconds(due_ms_[unit]); }

  std::optional<Clock::time_point> RunUnit() override {
    EXPECT_EQ(++running_, 1);
    gate_.Pass();
    --running_;
    ++next_;
    const std::size_t next = next_;
    journal_.Add(name_);
    if (next == due_ms_.size()) return std::nullopt;
    return Due(next);
  }

 private:
  const std::string name_;
  Journal& journal_;
  Gate& gate_;
  const Clock::time_point start_;
  const std::vector<int> due_ms_;
  std::size_t next_ = 0;
  std::atomic<int> running_{0};
};

class SchedulerTest : public ::testing::Test {
 protected:
  /// Keeps the scheduler's thread busy until the gate opens, so that what is scheduled meanwhile is
  /// chosen among.
  void Occupy(Scheduler& scheduler) {
    gate_.Close();
    scheduler.Schedule(Source("*", {0}), start_);
    ASSERT_TRUE(gate_.WaitForArrivals(1));
  }
  std::shared_ptr<ScriptedSource> Source(const std::string& name, std::vector<int> due_ms) {
    return std::make_shared<ScriptedSource>(name, journal_, gate_, start_, std::move(due_ms));
  }

  Journal journal_;
  Gate gate_;
  const Clock::time_point start_ = Clock::now();
};

TEST_F(SchedulerTest, RunsTheEarliestDueFirst) {
  Scheduler scheduler;
  Occupy(scheduler);
  for (const auto& [name, due] : {std::pair{"c", 30}, {"a", 10}, {"b", 20}}) {
    auto source = Source(name, {due});
    scheduler.Schedule(source, source->Due(0));
  }
  gate_.Open();
  EXPECT_EQ(journal_.WaitForLength(4), "*abc");
}

TEST_F(SchedulerTest, RunsSourcesOfEqualDueInTheOrderOfTheirCalls) {
  Scheduler scheduler;
  Occupy(scheduler);
  for (const char* name : {"x", "a", "m"})
    scheduler.Schedule(Source(name, {5}), start_ + milliseconds(5));
  gate_.Open();
  EXPECT_EQ(journal_.WaitForLength(4), "*xam");
}

TEST_F(SchedulerTest, LetsSourcesTakeTurnsByDueTimeAfterEachUnit) {
  Scheduler scheduler;
  Occupy(scheduler);
  scheduler.Schedule(Source("a", {0, 20, 40, 60}), start_);
  scheduler.Schedule(Source("b", {10, 30, 50}), start_ + milliseconds(10));
  gate_.Open();
  EXPECT_EQ(journal_.WaitForLength(8), "*abababa");
}

TEST_F(SchedulerTest, RunsWorkThatIsDueLaterAtOnceWhereNothingElseWaits) {
  Scheduler scheduler;
  scheduler.Schedule(Source("a", {3600 * 1000}), start_ + std::chrono::hours(1));
  EXPECT_EQ(journal_.WaitForLength(1), "a");
}

TEST_F(SchedulerTest, DropsASourceWhoseWorkIsDone) {
  Scheduler scheduler;
  auto source = Source("a", {0});
  const std::weak_ptr<ScriptedSource> weak = source;
  scheduler.Schedule(std::move(source), start_);
  EXPECT_EQ(journal_.WaitForLength(1), "a");
  scheduler.Stop();
  EXPECT_TRUE(weak.expired());
}

TEST_F(SchedulerTest, StopFinishesTheRunningUnitAndDropsTheRest) {
  Scheduler scheduler;
  Occupy(scheduler);
  auto source = Source("a", {0});
  const std::weak_ptr<ScriptedSource> waiting = source;
  scheduler.Schedule(std::move(source), start_);
  std::thread stopper([&] { scheduler.Stop(); });
  gate_.Open();
  stopper.join();
  const std::string ran = journal_.WaitForLength(1);
  EXPECT_EQ(ran.substr(0, 1), "*");
  EXPECT_TRUE(waiting.expired());
  scheduler.Schedule(Source("b", {0}), start_);
  EXPECT_EQ(journal_.WaitForLength(1).find('b'), std::string::npos);
}

}  // namespace
}  // namespace causeway
