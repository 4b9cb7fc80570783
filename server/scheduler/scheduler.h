// SPDX-License-Identifier: Apache-2.0
// Decides whose work is done next: one thread, one unit of work (one latent) at a time, the
// earliest due first. Knows nothing of decoders; a session is a WorkSource. It holds no work
// itself, only which sources have some, so its queue is as long as there are sessions.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace causeway {

using Clock = std::chrono::steady_clock;

/// Something with work to do, one unit after the other.
class WorkSource {
 public:
  virtual ~WorkSource() = default;

  /// Does one unit of work. Returns when the next one is due, or nothing where there is none now:
  /// the source then calls Schedule again once it has one. Called on the scheduler's thread, never
  /// twice at the same time for one source.
  virtual std::optional<Clock::time_point> RunUnit() = 0;
};

/// Thread-safe. No function waits for a unit of work except Stop.
class Scheduler {
 public:
  enum class Mode {
    kOwnThread,  // units run on a thread of the scheduler's
    kByHand,     // units run in RunOne only, on its caller's thread: for tests
  };

  explicit Scheduler(Mode mode = Mode::kOwnThread);
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  /// Queues a source that is neither queued nor running. `due` orders the sources, and the order of
  /// calls those of equal due; work that is due later is done at once where nothing is due earlier.
  /// After Stop: does nothing.
  void Schedule(std::shared_ptr<WorkSource> source, Clock::time_point due);

  /// Runs the next unit, where one is queued. Returns whether one was. With kByHand only.
  bool RunOne();

  /// Drops what is queued and returns when the running unit is done.
  void Stop();

 private:
  using Ticket = std::pair<Clock::time_point, std::uint64_t>;

  void Run();
  void RunUnit(std::shared_ptr<WorkSource> source);
  std::shared_ptr<WorkSource> WaitForNext();
  std::shared_ptr<WorkSource> TakeFirst();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<Ticket, std::shared_ptr<WorkSource>> ready_;
  std::uint64_t next_ticket_ = 0;
  bool is_stopped_ = false;
  std::thread thread_;  // last: starts when the rest is there
};

}  // namespace causeway
