// SPDX-License-Identifier: Apache-2.0
#include "server/rpc/server.h"

#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <string_view>

#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/impl/server_builder_option.h>
#include <grpcpp/impl/server_builder_plugin.h>
#include <grpcpp/resource_quota.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "causeway/v1/decode.grpc.pb.h"
#include "server/base/file_descriptor.h"

namespace causeway::rpc {
namespace {

constexpr int kKeepaliveMs = 10'000;
constexpr int kKeepaliveTimeoutMs = 5'000;
constexpr int kMinPingIntervalMs = 5'000;
constexpr int kMaxPingStrikes = 2;
constexpr int kMaxStreamsPerConnection = 64;
constexpr int kMaxMetadataBytes = 16 * 1024;
constexpr std::size_t kMebibyte = std::size_t{1} << 20;

/// gRPC takes the file of a unix socket over, also from a server that lives.
void RefuseLiveSocket(const std::string& listen) {
  constexpr std::string_view kUnix = "unix:";
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  if (!listen.starts_with(kUnix) || listen.size() - kUnix.size() >= sizeof(address.sun_path))
    return;
  listen.copy(address.sun_path, std::string::npos, kUnix.size());
  const FileDescriptor probe(socket(AF_UNIX, SOCK_STREAM, 0));
  if (connect(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0) {
    throw std::runtime_error("cannot listen on " + listen + ": another server listens there");
  }
}

void SetChannelArguments(grpc::ServerBuilder& builder) {
  // Without this a second server on the same port would start and silently share it.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepaliveMs);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kKeepaliveTimeoutMs);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 0);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS,
                             kMinPingIntervalMs);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PING_STRIKES, kMaxPingStrikes);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, kMaxStreamsPerConnection);
  builder.AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE, kMaxMetadataBytes);
}

/// Says whether this one server has the reflection service: linking gRPC's library for it puts it
/// into every server of the process.
class ReflectionOption final : public grpc::ServerBuilderOption {
 public:
  explicit ReflectionOption(bool has_reflection) : has_reflection_(has_reflection) {}

  void UpdateArguments(grpc::ChannelArguments*) override {}
  void UpdatePlugins(std::vector<std::unique_ptr<grpc::ServerBuilderPlugin>>* plugins) override {
    auto own = std::make_unique<grpc::reflection::ProtoServerReflectionPlugin>();
    const std::string name = own->name();
    std::erase_if(*plugins, [&](const auto& plugin) { return plugin->name() == name; });
    if (has_reflection_) plugins->push_back(std::move(own));
  }

 private:
  const bool has_reflection_;
};

}  // namespace

std::vector<std::string> HealthNames(const std::vector<std::string>& models) {
  std::vector<std::string> names{v1::Decoder::service_full_name()};
  for (const std::string& model : models) names.push_back("causeway.model." + model);
  return names;
}

Server::Server(const ServerOptions& options, grpc::Service& service) {
  RefuseLiveSocket(options.listen);
  grpc::EnableDefaultHealthCheckService(true);
  grpc::ServerBuilder builder;
  SetChannelArguments(builder);
  builder.SetMaxReceiveMessageSize(options.max_message_bytes);
  grpc::ResourceQuota quota("causeway");
  quota.Resize(512 * kMebibyte + static_cast<std::size_t>(options.max_sessions) * 16 * kMebibyte);
  builder.SetResourceQuota(quota);
  builder.AddListeningPort(options.listen, grpc::InsecureServerCredentials(), &port_);
  builder.RegisterService(&service);
  builder.SetOption(std::make_unique<ReflectionOption>(options.has_reflection));
  server_ = builder.BuildAndStart();
  if (server_ == nullptr) {
    throw std::runtime_error("cannot listen on " + options.listen +
                             ": the address is in use or not one of this machine");
  }
  for (const std::string& name : options.health_names) {
    server_->GetHealthCheckService()->SetServingStatus(name, true);
  }
}

Server::~Server() {
  server_->Shutdown(std::chrono::system_clock::now());
  server_->Wait();
}

void Server::SetServing(bool is_serving) {
  server_->GetHealthCheckService()->SetServingStatus(is_serving);
}

}  // namespace causeway::rpc
