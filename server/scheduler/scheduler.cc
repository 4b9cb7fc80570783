// SPDX-License-Identifier: Apache-2.0
#include "server/scheduler/scheduler.h"

namespace causeway {

Scheduler::Scheduler(Mode mode) {
  if (mode == Mode::kOwnThread) thread_ = std::thread([this] { Run(); });
}

Scheduler::~Scheduler() { Stop(); }

void Scheduler::Schedule(std::shared_ptr<WorkSource> source, Clock::time_point due) {
  {
    const std::lock_guard lock(mutex_);
    if (is_stopped_) return;
    ready_.emplace(Ticket{due, next_ticket_++}, std::move(source));
  }
  changed_.notify_one();
}

void Scheduler::Stop() {
  // Destroyed after the lock is released: a source may own a whole session.
  std::map<Ticket, std::shared_ptr<WorkSource>> dropped;
  {
    const std::lock_guard lock(mutex_);
    is_stopped_ = true;
    dropped.swap(ready_);
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Scheduler::Run() {
  while (std::shared_ptr<WorkSource> source = WaitForNext()) RunUnit(std::move(source));
}

bool Scheduler::RunOne() {
  std::shared_ptr<WorkSource> source;
  {
    const std::lock_guard lock(mutex_);
    if (ready_.empty()) return false;
    source = TakeFirst();
  }
  RunUnit(std::move(source));
  return true;
}

void Scheduler::RunUnit(std::shared_ptr<WorkSource> source) {
  if (const std::optional<Clock::time_point> due = source->RunUnit()) {
    Schedule(std::move(source), *due);
  }
}

std::shared_ptr<WorkSource> Scheduler::WaitForNext() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return is_stopped_ || !ready_.empty(); });
  return is_stopped_ ? nullptr : TakeFirst();
}

std::shared_ptr<WorkSource> Scheduler::TakeFirst() {
  std::shared_ptr<WorkSource> source = std::move(ready_.begin()->second);
  ready_.erase(ready_.begin());
  return source;
}

}  // namespace causeway
