// SPDX-License-Identifier: Apache-2.0
#include "server/rpc/admin_service.h"

#include <chrono>
#include <cstdint>

#include "server/base/utf8.h"
#include "server/rpc/status_table.h"

namespace causeway::rpc {
namespace {

grpc::ServerUnaryReactor* FinishWith(grpc::CallbackServerContext& context,
                                     const grpc::Status& status) {
  grpc::ServerUnaryReactor* reactor = context.DefaultReactor();
  reactor->Finish(status);
  return reactor;
}

grpc::Status NotImplemented(const std::string& call) {
  return ToStatus({Reason::kNotImplemented, call + " is not part of this server", "", "", ""}, {});
}

grpc::Status UnknownSession(const std::string& id) {
  return ToStatus(
      BadField(Reason::kSessionNotFound, "session_id", Quote(id, 64), "a session of ListSessions"),
      {});
}

std::int64_t Milliseconds(Clock::duration duration) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
}

void Fill(const LiveSession& session, v1::SessionInfo& info) {
  const OpenRequest& request = *session.report.request;
  info.set_session_id(session.id);
  info.set_peer(session.peer);
  info.set_client_ref(request.client_ref);
  info.set_model(request.spec.model);
  info.set_height(request.spec.geometry.height);
  info.set_width(request.spec.geometry.width);
  info.set_reserved_bytes(session.report.reserved_bytes);
  info.set_chunks(session.report.totals.chunks);
  info.set_latents(session.report.totals.latents);
  info.set_frames(session.report.totals.frames);
  info.set_age_ms(Milliseconds(session.age));
  info.set_idle_ms(Milliseconds(session.idle));
}

/// Has nothing to send but a status.
class EndedStream final : public grpc::ServerWriteReactor<v1::ProfileResponse> {
 public:
  explicit EndedStream(const grpc::Status& status) { Finish(status); }
  void OnDone() override { delete this; }
};

}  // namespace

AdminService::AdminService(LiveSessions& sessions, Log& log, AdminOptions options)
    : sessions_(sessions), log_(log), options_(std::move(options)) {}

grpc::ServerUnaryReactor* AdminService::ListSessions(grpc::CallbackServerContext* context,
                                                     const v1::ListSessionsRequest*,
                                                     v1::ListSessionsResponse* response) {
  for (const LiveSession& session : sessions_.ListSessions()) {
    Fill(session, *response->add_sessions());
  }
  return FinishWith(*context, grpc::Status::OK);
}

grpc::ServerUnaryReactor* AdminService::GetSession(grpc::CallbackServerContext* context,
                                                   const v1::GetSessionRequest* request,
                                                   v1::SessionInfo* response) {
  const std::optional<LiveSession> session = sessions_.FindSession(request->session_id());
  if (!session) return FinishWith(*context, UnknownSession(request->session_id()));
  Fill(*session, *response);
  return FinishWith(*context, grpc::Status::OK);
}

grpc::ServerUnaryReactor* AdminService::CloseSession(grpc::CallbackServerContext* context,
                                                     const v1::CloseSessionRequest* request,
                                                     v1::CloseSessionResponse*) {
  if (!sessions_.CloseSession(request->session_id())) {
    return FinishWith(*context, UnknownSession(request->session_id()));
  }
  log_.Write(LogLevel::kInfo, "session_closed_by_operator", {{"session", request->session_id()}});
  return FinishWith(*context, grpc::Status::OK);
}

grpc::ServerUnaryReactor* AdminService::Drain(grpc::CallbackServerContext* context,
                                              const v1::DrainRequest*, v1::DrainResponse*) {
  return FinishWith(*context, NotImplemented("Drain"));
}

grpc::ServerUnaryReactor* AdminService::SetLogLevel(grpc::CallbackServerContext* context,
                                                    const v1::SetLogLevelRequest* request,
                                                    v1::SetLogLevelResponse* response) {
  const Result<std::string> previous = options_.set_log_level(request->level());
  if (!previous.ok()) return FinishWith(*context, ToStatus(previous.failure(), {}));
  response->set_previous_level(previous.value());
  return FinishWith(*context, grpc::Status::OK);
}

grpc::ServerUnaryReactor* AdminService::SetSampling(grpc::CallbackServerContext* context,
                                                    const v1::SetSamplingRequest*,
                                                    v1::SetSamplingResponse*) {
  return FinishWith(*context, NotImplemented("SetSampling"));
}

grpc::ServerUnaryReactor* AdminService::GetEffectiveConfig(grpc::CallbackServerContext* context,
                                                           const v1::GetEffectiveConfigRequest*,
                                                           v1::EffectiveConfig* response) {
  for (const auto& [name, value] : options_.settings) (*response->mutable_values())[name] = value;
  return FinishWith(*context, grpc::Status::OK);
}

grpc::ServerWriteReactor<v1::ProfileResponse>* AdminService::Profile(grpc::CallbackServerContext*,
                                                                     const v1::ProfileRequest*) {
  return new EndedStream(NotImplemented("Profile"));
}

}  // namespace causeway::rpc
