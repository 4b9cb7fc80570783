// SPDX-License-Identifier: Apache-2.0
// The gRPC side of one session: reads messages into it and writes its output, one read and one
// write at a time. Never waits: not for the decoder, not for the client.
//
// Finish is called once, by whoever takes the session's EndOutput, and never while a write is
// outstanding. The object belongs to itself until OnDone; whoever is still calling it then holds a
// share, so that it goes when the last call returns.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include <grpcpp/grpcpp.h>

#include "causeway/v1/decode.grpc.pb.h"
#include "server/base/log.h"
#include "server/session/session.h"

namespace causeway::rpc {

class DecodeStream : public grpc::ServerBidiReactor<v1::DecodeRequest, v1::DecodeResponse>,
                     public SessionSink,
                     public std::enable_shared_from_this<DecodeStream> {
 public:
  using DoneCallback = std::function<void(DecodeStream*)>;

  /// `on_done` is the last thing that is called, on a thread of gRPC. `log` outlives the stream.
  DecodeStream(std::string peer, Log& log, std::function<Clock::time_point()> now,
               DoneCallback on_done);

  /// Begins to read. Once, with a session whose sink this is.
  void Start(std::shared_ptr<Session> session);

  const std::string& peer() const { return peer_; }
  /// When the newest message came; before the first one, when the stream began.
  Clock::time_point last_heard() const { return last_heard_; }

  /// How long the client has not taken the outstanding write; 0 where there is none.
  Clock::duration write_age(Clock::time_point now) const;

  const std::shared_ptr<Session>& session() const { return session_; }

  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override;

  void OnOutputReady() override;

 private:
  void Dispatch();
  void LogOpened();
  void LogEnd(const EndOutput& end);

  const std::string peer_;
  Log& log_;
  const std::function<Clock::time_point()> now_;
  const DoneCallback on_done_;
  std::shared_ptr<Session> session_;    // constant after Start
  std::shared_ptr<DecodeStream> self_;  // from Start to OnDone
  v1::DecodeRequest request_;           // of the outstanding read
  std::atomic<Clock::time_point> last_heard_{Clock::now()};

  // Held while an output is taken from the session, so that outputs are written in order.
  mutable std::mutex mutex_;
  v1::DecodeResponse response_;  // of the outstanding write
  Clock::time_point write_start_;
  bool is_writing_ = false;
  bool is_finished_ = false;
};

}  // namespace causeway::rpc
