// SPDX-License-Identifier: Apache-2.0
#include "server/rpc/decode_service.h"

#include <array>
#include <cstddef>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace causeway::rpc {
namespace {

/// 128 random bits as 32 hexadecimal digits.
std::string NewSessionId() {
  constexpr char kDigits[] = "0123456789abcdef";
  std::random_device random;
  std::string id;
  for (int word = 0; word < 4; ++word) {
    const unsigned bits = random();
    for (int shift = 28; shift >= 0; shift -= 4) id += kDigits[(bits >> shift) & 15u];
  }
  return id;
}

constexpr std::chrono::milliseconds kTick{250};

}  // namespace

DecodeService::DecodeService(DecodeWorker& worker, Scheduler& scheduler, CapacityLedger& ledger,
                             Log& log, int max_message_bytes, StreamTimeouts timeouts)
    : InfoService(worker, ledger, max_message_bytes),
      worker_(worker),
      scheduler_(scheduler),
      ledger_(ledger),
      log_(log),
      max_message_bytes_(max_message_bytes),
      timeouts_(std::move(timeouts)) {
  ticker_.emplace(kTick, [this] { Tick(); });
}

grpc::ServerBidiReactor<v1::DecodeRequest, v1::DecodeResponse>* DecodeService::Decode(
    grpc::CallbackServerContext* context) {
  auto stream = std::make_shared<DecodeStream>(context->peer(), log_, timeouts_.now,
                                               [this](DecodeStream* done) { Remove(done); });
  SessionOptions options;
  options.session_id = NewSessionId();
  options.max_message_bytes = max_message_bytes_;
  options.idle_timeout = timeouts_.idle;
  options.credit_timeout = timeouts_.credit;
  options.drain_grace = timeouts_.drain_grace;
  options.now = timeouts_.now;
  auto session = std::make_shared<Session>(options, worker_, scheduler_, ledger_, stream);
  stream->Start(session);
  bool is_draining = false;
  {
    const std::lock_guard lock(mutex_);
    streams_.emplace(stream.get(),
                     Entry{session, std::make_shared<CallHandle>(*context), Clock::now()});
    is_draining = is_draining_;
  }
  if (is_draining) session->OnEvent(StreamEvent::kDrain);
  return stream.get();
}

std::vector<LiveSession> DecodeService::ListSessions() const {
  const Clock::time_point now = Clock::now();
  std::vector<LiveSession> sessions;
  const std::lock_guard lock(mutex_);
  for (const auto& [stream, entry] : streams_) {
    SessionReport report = entry.session->report();
    if (!report.request) continue;
    sessions.push_back({entry.session->id(), stream->peer(), std::move(report), now - entry.started,
                        now - stream->last_heard()});
  }
  return sessions;
}

std::optional<LiveSession> DecodeService::FindSession(const std::string& id) const {
  for (LiveSession& session : ListSessions()) {
    if (session.id == id) return std::move(session);
  }
  return std::nullopt;
}

bool DecodeService::CloseSession(const std::string& id) {
  std::shared_ptr<CallHandle> call;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [stream, entry] : streams_) {
      if (entry.session->id() == id) call = entry.call;
    }
  }
  return call != nullptr && call->Cancel();
}

void DecodeService::Drain() {
  std::vector<std::shared_ptr<Session>> sessions;
  {
    const std::lock_guard lock(mutex_);
    is_draining_ = true;
    for (const auto& [stream, entry] : streams_) sessions.push_back(entry.session);
  }
  changed_.notify_all();
  for (const std::shared_ptr<Session>& session : sessions) session->OnEvent(StreamEvent::kDrain);
}

bool DecodeService::WaitUntilDrained(std::chrono::seconds grace) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return is_draining_; });
  changed_.wait_for(lock, grace, [this] { return streams_.empty() || is_abandoned_; });
  return streams_.empty();
}

void DecodeService::Abandon() {
  {
    const std::lock_guard lock(mutex_);
    is_abandoned_ = true;
  }
  changed_.notify_all();
}

void DecodeService::Tick() {
  struct Timed {
    std::shared_ptr<DecodeStream> stream;
    std::shared_ptr<Session> session;
    std::shared_ptr<CallHandle> call;
  };
  std::vector<Timed> all;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [stream, entry] : streams_) {
      all.push_back({stream->shared_from_this(), entry.session, entry.call});
    }
  }
  // Without the lock: what ends here comes back through Remove.
  const Clock::time_point now = timeouts_.now();
  for (const Timed& each : all) {
    each.session->OnTick();
    if (each.stream->write_age(now) >= timeouts_.write) each.call->Cancel();
  }
}

int DecodeService::streams() const {
  const std::lock_guard lock(mutex_);
  return static_cast<int>(streams_.size());
}

void DecodeService::Remove(DecodeStream* stream) {
  // Under the lock, so that whoever waits for the last stream may destroy this right after.
  const std::lock_guard lock(mutex_);
  const auto found = streams_.find(stream);
  if (found != streams_.end()) {
    found->second.call->Forget();
    streams_.erase(found);
  }
  changed_.notify_all();
}

}  // namespace causeway::rpc
