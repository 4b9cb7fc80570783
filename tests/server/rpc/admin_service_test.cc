// SPDX-License-Identifier: Apache-2.0
// The Admin service on a listener of its own.
#include "server/rpc/admin_service.h"

#include <gtest/gtest.h>

#include "tests/server/rpc/rpc_fixture.h"

namespace causeway::rpc {
namespace {

class AdminServiceTest : public RpcFixture {
 protected:
  AdminServiceTest() : admin_(ConnectTo(*admin_server_)) {}

  static std::unique_ptr<v1::Admin::Stub> ConnectTo(const Server& server) {
    return v1::Admin::NewStub(grpc::CreateChannel("127.0.0.1:" + std::to_string(server.port()),
                                                  grpc::InsecureChannelCredentials()));
  }
  template <typename Request, typename Response>
  grpc::Status Call(grpc::Status (v1::Admin::Stub::*method)(grpc::ClientContext*, const Request&,
                                                            Response*),
                    const Request& request, Response& response) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + kDeadline);
    return (admin_.get()->*method)(&context, request, &response);
  }
  v1::ListSessionsResponse Sessions() {
    v1::ListSessionsResponse response;
    EXPECT_TRUE(Call(&v1::Admin::Stub::ListSessions, v1::ListSessionsRequest(), response).ok());
    return response;
  }

  AdminService admin_service_{service_,
                              log_,
                              {[this](const std::string& level) -> Result<std::string> {
                                 if (level == "loud")
                                   return BadField(Reason::kBadOption, "level", level, "debug");
                                 return std::exchange(level_, level);
                               },
                               {{"listen", "127.0.0.1:1"}, {"max-sessions", "4"}}}};
  std::string level_ = "info";
  std::unique_ptr<Server> admin_server_ =
      std::make_unique<Server>(ServerOptions{"127.0.0.1:0", kMessageBytes, 4}, admin_service_);
  std::unique_ptr<v1::Admin::Stub> admin_;
};

TEST_F(AdminServiceTest, ListsAdmittedSessions) {
  EXPECT_EQ(Sessions().sessions_size(), 0);
  TestStream waiting(*stub_);  // has not sent its Open
  TestStream stream(*stub_);
  v1::DecodeRequest open = OpenMessage();
  open.mutable_open()->set_client_ref("ref");
  stream.Send(open);
  const auto opened = stream.Read();
  ASSERT_TRUE(opened && opened->has_opened());
  const v1::ListSessionsResponse list = Sessions();
  ASSERT_EQ(list.sessions_size(), 1);
  const v1::SessionInfo& session = list.sessions(0);
  EXPECT_EQ(session.session_id(), opened->opened().session_id());
  EXPECT_EQ(session.client_ref(), "ref");
  EXPECT_EQ(session.model(), "fake");
  EXPECT_EQ(session.height(), 64);
  EXPECT_EQ(session.width(), 64);
  EXPECT_EQ(session.reserved_bytes(), worker_.state_bytes);
  EXPECT_GE(session.age_ms(), session.idle_ms());
  EXPECT_GE(session.idle_ms(), 0);
  EXPECT_NE(session.peer().find("127.0.0.1"), std::string::npos);

  v1::GetSessionRequest request;
  request.set_session_id(session.session_id());
  v1::SessionInfo same;
  EXPECT_TRUE(Call(&v1::Admin::Stub::GetSession, request, same).ok());
  EXPECT_EQ(same.client_ref(), "ref");
}

TEST_F(AdminServiceTest, ClosesASessionWhateverItsClientDoes) {
  worker_.gate.Close();
  TestStream stream(*stub_);
  stream.Send(OpenMessage());
  const auto opened = stream.Read();
  ASSERT_TRUE(opened && opened->has_opened());
  stream.Send(Chunk(0, 0));
  ASSERT_TRUE(worker_.gate.WaitForArrivals(1));
  v1::CloseSessionRequest request;
  request.set_session_id(opened->opened().session_id());
  v1::CloseSessionResponse response;
  EXPECT_TRUE(Call(&v1::Admin::Stub::CloseSession, request, response).ok());
  worker_.gate.Open();
  EXPECT_EQ(stream.Finish().error_code(), grpc::StatusCode::CANCELLED);
  EXPECT_TRUE(log_.WaitFor("session_ended", "cancelled"));
  EXPECT_TRUE(log_.WaitFor("session_closed_by_operator", ""));
}

TEST_F(AdminServiceTest, RefusesSessionsThatThereAreNot) {
  v1::GetSessionRequest get;
  get.set_session_id("other");
  v1::SessionInfo session;
  const grpc::Status status = Call(&v1::Admin::Stub::GetSession, get, session);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(InfoOf(status).reason(), "SESSION_NOT_FOUND");
  v1::CloseSessionRequest close;
  v1::CloseSessionResponse closed;
  EXPECT_EQ(InfoOf(Call(&v1::Admin::Stub::CloseSession, close, closed)).reason(),
            "SESSION_NOT_FOUND");
}

TEST_F(AdminServiceTest, SetsTheLogLevelAndTellsTheOneBefore) {
  v1::SetLogLevelRequest request;
  request.set_level("debug");
  v1::SetLogLevelResponse response;
  EXPECT_TRUE(Call(&v1::Admin::Stub::SetLogLevel, request, response).ok());
  EXPECT_EQ(response.previous_level(), "info");
  EXPECT_EQ(level_, "debug");
  request.set_level("loud");
  const google::rpc::ErrorInfo info =
      InfoOf(Call(&v1::Admin::Stub::SetLogLevel, request, response));
  EXPECT_EQ(info.reason(), "BAD_OPTION");
  EXPECT_EQ(info.metadata().at("field"), "level");
}

TEST_F(AdminServiceTest, TellsTheSettings) {
  v1::EffectiveConfig config;
  EXPECT_TRUE(
      Call(&v1::Admin::Stub::GetEffectiveConfig, v1::GetEffectiveConfigRequest(), config).ok());
  EXPECT_EQ(config.values().size(), 2u);
  EXPECT_EQ(config.values().at("max-sessions"), "4");
}

TEST_F(AdminServiceTest, CallsOfLaterVersionsAnswerNotImplemented) {
  v1::DrainResponse drained;
  const grpc::Status drain = Call(&v1::Admin::Stub::Drain, v1::DrainRequest(), drained);
  v1::SetSamplingResponse sampled;
  const grpc::Status sampling =
      Call(&v1::Admin::Stub::SetSampling, v1::SetSamplingRequest(), sampled);
  grpc::ClientContext context;
  const auto reader = admin_->Profile(&context, v1::ProfileRequest());
  v1::ProfileResponse part;
  EXPECT_FALSE(reader->Read(&part));
  for (const grpc::Status& status : {drain, sampling, reader->Finish()}) {
    EXPECT_EQ(status.error_code(), grpc::StatusCode::UNIMPLEMENTED);
    EXPECT_EQ(InfoOf(status).reason(), "NOT_IMPLEMENTED");
  }
}

TEST_F(AdminServiceTest, IsNotReachableOnTheDataPort) {
  admin_ = ConnectTo(*server_);
  v1::ListSessionsResponse response;
  const grpc::Status status =
      Call(&v1::Admin::Stub::ListSessions, v1::ListSessionsRequest(), response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNIMPLEMENTED);
  // gRPC's own answer to a method that is not there: no details.
  EXPECT_TRUE(status.error_details().empty());
}

}  // namespace
}  // namespace causeway::rpc
