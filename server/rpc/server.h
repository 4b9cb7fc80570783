// SPDX-License-Identifier: Apache-2.0
// The listening gRPC server with its channel settings, health service and reflection.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <grpcpp/grpcpp.h>

namespace causeway::rpc {

struct ServerOptions {
  std::string listen;  // host:port, where port 0 takes a free one, or unix:PATH
  int max_message_bytes = 8 * 1024 * 1024;
  int max_sessions = 16;
  bool has_reflection = true;
  std::vector<std::string> health_names;  // what the health service knows beside ""
};

/// The names that the health service of a server with these models knows: "causeway.v1.Decoder",
/// and "causeway.model.NAME" for each.
std::vector<std::string> HealthNames(const std::vector<std::string>& models);

/// Listens from construction to Shutdown. Without TLS: who may reach `listen` is the caller's
/// concern.
class Server {
 public:
  /// Throws std::runtime_error where it cannot listen. The service outlives this.
  Server(const ServerOptions& options, grpc::Service& service);

  /// Cancels every call that is left and returns when all are done.
  ~Server();

  /// The port in use; no meaning for a unix socket.
  int port() const { return port_; }

  /// What the health service answers for every name. SERVING from construction on.
  void SetServing(bool is_serving);

 private:
  std::unique_ptr<grpc::Server> server_;
  int port_ = 0;
};

}  // namespace causeway::rpc
