// SPDX-License-Identifier: Apache-2.0
// The Decoder service: makes a session for each stream, knows which streams there are, and brings
// them to an end when the server stops.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <grpcpp/grpcpp.h>

#include "causeway/v1/decode.grpc.pb.h"
#include "server/base/log.h"
#include "server/rpc/decode_stream.h"
#include "server/rpc/info_service.h"
#include "server/rpc/live_sessions.h"
#include "server/rpc/ticker.h"
#include "server/scheduler/decode_worker.h"
#include "server/scheduler/scheduler.h"
#include "server/session/capacity.h"

namespace causeway::rpc {

/// How long a stream may be without something.
struct StreamTimeouts {
  std::chrono::milliseconds idle{30'000};    // without a message, with nothing to do; 0: for ever
  std::chrono::milliseconds credit{30'000};  // with frames that wait for a credit
  std::chrono::milliseconds write{15'000};   // with a message that its client does not take
  std::chrono::milliseconds drain_grace{0};  // what WaitUntilDrained will be given
  std::function<Clock::time_point()> now = Clock::now;
};

/// Thread-safe. What the constructor takes outlives it. A thread of its own looks at the timeouts
/// of all streams four times a second.
class DecodeService final : public InfoService, public LiveSessions {
 public:
  DecodeService(DecodeWorker& worker, Scheduler& scheduler, CapacityLedger& ledger, Log& log,
                int max_message_bytes, StreamTimeouts timeouts = {});

  grpc::ServerBidiReactor<v1::DecodeRequest, v1::DecodeResponse>* Decode(
      grpc::CallbackServerContext* context) override;

  std::vector<LiveSession> ListSessions() const override;
  std::optional<LiveSession> FindSession(const std::string& id) const override;
  bool CloseSession(const std::string& id) override;

  /// From now on new streams are refused with kDraining, and those there are end after what they
  /// accepted.
  void Drain();

  /// Waits for Drain, then until no stream is left, for at most `grace`, or until Abandon. Returns
  /// whether none is left.
  bool WaitUntilDrained(std::chrono::seconds grace);

  /// Ends the waiting of WaitUntilDrained.
  void Abandon();

  /// Ends every stream whose time is over by `now` of the timeouts, and warns those about to be.
  void Tick();

  /// Streams that have not ended.
  int streams() const;

 private:
  struct Entry {
    std::shared_ptr<Session> session;
    std::shared_ptr<CallHandle> call;
    Clock::time_point started;
  };

  void Remove(DecodeStream* stream);

  DecodeWorker& worker_;
  Scheduler& scheduler_;
  CapacityLedger& ledger_;
  Log& log_;
  const int max_message_bytes_;
  const StreamTimeouts timeouts_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::unordered_map<DecodeStream*, Entry> streams_;
  bool is_draining_ = false;
  bool is_abandoned_ = false;
  std::optional<Ticker> ticker_;  // last: ends before what it looks at
};

}  // namespace causeway::rpc
