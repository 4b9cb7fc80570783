// SPDX-License-Identifier: Apache-2.0
// A server from the client's side: connect, open sessions, ask what the server holds.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "causeway/v1/decode.grpc.pb.h"
#include "client/lib/decode_error.h"
#include "client/lib/decode_session.h"

namespace causeway::client {

struct ClientOptions {
  std::string server = "127.0.0.1:50051";           // HOST:PORT or unix:PATH
  std::chrono::milliseconds connect_timeout{5000};  // for the connection, not for the session
  std::chrono::milliseconds call_timeout{10000};    // for the answers of ListModels and its like
};

/// A connection to one server. Thread-safe.
class DecodeClient {
 public:
  /// Does not connect yet.
  explicit DecodeClient(ClientOptions options);

  /// Connects where needed, opens a session and waits until the server admits it.
  /// Throws DecodeError: the server cannot be reached within the connect timeout, or refuses, or
  /// cannot do the checksums that `open` asks for.
  std::unique_ptr<DecodeSession> Open(const v1::Open& open, const SessionOptions& options = {});

  /// Throw DecodeError; kind kNotImplemented: a first-version server.
  std::vector<v1::Model> ListModels();
  v1::Model GetModel(const std::string& name);
  v1::ServerInfo GetServerInfo();

 private:
  template <typename Request, typename Response>
  Response Call(grpc::Status (v1::Decoder::Stub::*method)(grpc::ClientContext*, const Request&,
                                                          Response*),
                const Request& request);

  ClientOptions options_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<v1::Decoder::Stub> stub_;
};

}  // namespace causeway::client
