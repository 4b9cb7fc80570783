// SPDX-License-Identifier: Apache-2.0
// What gRPC's own services say about a server: health by name, and reflection.
#include <string>

#include <gtest/gtest.h>

#include "tests/server/rpc/generic_call.h"
#include "tests/server/rpc/rpc_fixture.h"

namespace causeway::rpc {
namespace {

constexpr char kCheck[] = "/grpc.health.v1.Health/Check";
constexpr char kWatch[] = "/grpc.health.v1.Health/Watch";
constexpr char kReflection[] = "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo";
// HealthCheckResponse: field 1 is the status.
constexpr char kServing[] = "\x08\x01";
constexpr char kNotServing[] = "\x08\x02";
constexpr char kUnknownService[] = "\x08\x03";
constexpr char kListServices[] = "\x3a\x01x";  // ServerReflectionRequest: field 7

/// HealthCheckRequest: field 1 is the service.
std::string HealthRequest(const std::string& service) {
  if (service.empty()) return "";
  return "\x0a" + std::string(1, static_cast<char>(service.size())) + service;
}

class HealthTest : public RpcFixture {
 protected:
  HealthTest() {
    server_.reset();
    Restart(true);
  }
  void Restart(bool has_reflection) {
    server_.reset();
    server_.emplace(ServerOptions{"127.0.0.1:0", kMessageBytes, 4, has_reflection,
                                  HealthNames(worker_.model_names())},
                    service_);
    channel_ = grpc::CreateChannel("127.0.0.1:" + std::to_string(server_->port()),
                                   grpc::InsecureChannelCredentials());
  }
  /// The one response, or the status where there is none.
  std::string Call(const char* method, const std::string& request) {
    GenericCall call(channel_, method);
    call.Send(request, true);
    const std::optional<std::string> response = call.Read();
    const grpc::Status status = call.Finish();
    return response ? *response : "status " + std::to_string(status.error_code());
  }
  std::vector<std::string> Names() const {
    std::vector<std::string> names{"", "causeway.v1.Decoder"};
    for (const std::string& model : worker_.model_names()) {
      names.push_back("causeway.model." + model);
    }
    return names;
  }
};

TEST_F(HealthTest, KnowsTheServerTheServiceAndEveryModel) {
  for (const std::string& name : Names()) EXPECT_EQ(Call(kCheck, HealthRequest(name)), kServing);
  EXPECT_EQ(Call(kCheck, HealthRequest("causeway.model.missing")),
            "status " + std::to_string(grpc::StatusCode::NOT_FOUND));
}

TEST_F(HealthTest, EveryNameIsNotServingOnceTheServerDrains) {
  server_->SetServing(false);
  for (const std::string& name : Names()) EXPECT_EQ(Call(kCheck, HealthRequest(name)), kNotServing);
}

TEST_F(HealthTest, WatchersOfAModelHearOfTheDrain) {
  GenericCall watch(channel_, kWatch);
  watch.Send(HealthRequest("causeway.model.fake"), true);
  EXPECT_EQ(watch.Read(), kServing);
  server_->SetServing(false);
  EXPECT_EQ(watch.Read(), kNotServing);
}

TEST_F(HealthTest, WatchersOfAnUnknownNameHearThatItIsUnknown) {
  GenericCall watch(channel_, kWatch);
  watch.Send(HealthRequest("causeway.model.missing"), true);
  EXPECT_EQ(watch.Read(), kUnknownService);
}

TEST_F(HealthTest, ReflectionListsTheDataPortsServicesAndNotAdmin) {
  const std::string services = Call(kReflection, kListServices);
  EXPECT_NE(services.find("causeway.v1.Decoder"), std::string::npos) << services;
  EXPECT_EQ(services.find("Admin"), std::string::npos) << services;
}

TEST_F(HealthTest, ReflectionCanBeOff) {
  Restart(false);
  EXPECT_EQ(Call(kReflection, kListServices),
            "status " + std::to_string(grpc::StatusCode::UNIMPLEMENTED));
  EXPECT_EQ(Call(kCheck, ""), kServing);
}

}  // namespace
}  // namespace causeway::rpc
