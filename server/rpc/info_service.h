// SPDX-License-Identifier: Apache-2.0
// The unary calls of the Decoder service: which models there are and what they cost, and what the
// server is and how full.
#pragma once

#include <string>

#include <grpcpp/grpcpp.h>

#include "causeway/v1/decode.grpc.pb.h"
#include "server/scheduler/decode_worker.h"
#include "server/session/capacity.h"

namespace causeway::rpc {

/// Rises with every compatible addition to the protocol.
inline constexpr int kApiMinor = 1;

/// Thread-safe. What the constructor takes outlives it.
class InfoService : public v1::Decoder::CallbackService {
 public:
  InfoService(const DecodeWorker& worker, const CapacityLedger& ledger, int max_message_bytes);

  grpc::ServerUnaryReactor* ListModels(grpc::CallbackServerContext* context,
                                       const v1::ListModelsRequest* request,
                                       v1::ListModelsResponse* response) override;
  /// Ends with kUnknownModel, which lists the models that there are.
  grpc::ServerUnaryReactor* GetModel(grpc::CallbackServerContext* context,
                                     const v1::GetModelRequest* request,
                                     v1::Model* response) override;
  grpc::ServerUnaryReactor* GetServerInfo(grpc::CallbackServerContext* context,
                                          const v1::GetServerInfoRequest* request,
                                          v1::ServerInfo* response) override;

 private:
  void Fill(const std::string& name, const ModelFacts& facts, v1::Model& model) const;

  const DecodeWorker& worker_;
  const CapacityLedger& ledger_;
  const int max_message_bytes_;
};

}  // namespace causeway::rpc
