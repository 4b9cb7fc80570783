// SPDX-License-Identifier: Apache-2.0
// The Admin service: what an operator asks of a running server. Only ever on a listener of its
// own: whoever reaches it may end sessions.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <grpcpp/grpcpp.h>

#include "causeway/v1/admin.grpc.pb.h"
#include "server/base/log.h"
#include "server/base/result.h"
#include "server/rpc/live_sessions.h"

namespace causeway::rpc {

struct AdminOptions {
  /// Sets the level of the log; returns the one before it, or kBadOption. Thread-safe.
  std::function<Result<std::string>(const std::string& level)> set_log_level;
  /// The settings in force as name and value; no secrets.
  std::vector<std::pair<std::string, std::string>> settings;
};

/// Thread-safe. `sessions` and `log` outlive it. Calls that it does not have answer
/// kNotImplemented.
class AdminService final : public v1::Admin::CallbackService {
 public:
  AdminService(LiveSessions& sessions, Log& log, AdminOptions options);

  grpc::ServerUnaryReactor* ListSessions(grpc::CallbackServerContext* context,
                                         const v1::ListSessionsRequest* request,
                                         v1::ListSessionsResponse* response) override;
  /// This and CloseSession end with kSessionNotFound where there is no such session.
  grpc::ServerUnaryReactor* GetSession(grpc::CallbackServerContext* context,
                                       const v1::GetSessionRequest* request,
                                       v1::SessionInfo* response) override;
  grpc::ServerUnaryReactor* CloseSession(grpc::CallbackServerContext* context,
                                         const v1::CloseSessionRequest* request,
                                         v1::CloseSessionResponse* response) override;
  grpc::ServerUnaryReactor* Drain(grpc::CallbackServerContext* context,
                                  const v1::DrainRequest* request,
                                  v1::DrainResponse* response) override;
  grpc::ServerUnaryReactor* SetLogLevel(grpc::CallbackServerContext* context,
                                        const v1::SetLogLevelRequest* request,
                                        v1::SetLogLevelResponse* response) override;
  grpc::ServerUnaryReactor* SetSampling(grpc::CallbackServerContext* context,
                                        const v1::SetSamplingRequest* request,
                                        v1::SetSamplingResponse* response) override;
  grpc::ServerUnaryReactor* GetEffectiveConfig(grpc::CallbackServerContext* context,
                                               const v1::GetEffectiveConfigRequest* request,
                                               v1::EffectiveConfig* response) override;
  grpc::ServerWriteReactor<v1::ProfileResponse>* Profile(
      grpc::CallbackServerContext* context, const v1::ProfileRequest* request) override;

 private:
  LiveSessions& sessions_;
  Log& log_;
  const AdminOptions options_;
};

}  // namespace causeway::rpc
