// SPDX-License-Identifier: Apache-2.0
#include "server/rpc/info_service.h"

#include <cstdint>

#include "server/rpc/status_table.h"
#include "server/session/open_check.h"
#include "server/session/session.h"

namespace causeway::rpc {
namespace {

/// What this server can do beyond the first version of the protocol.
constexpr const char* kCapabilities[] = {
    "chunk_accepted", "crc32c",  "drop_oldest",  "fragmented_chunks",
    "frame_credits",  "go_away", "idle_timeout", "input_credits",
    "ping",           "reset",
};

/// How many fp32 latents fit into one message: other dtypes fit as often or twice as often.
int MaxChunkLatents(const decoder::Geometry& geometry, int channels, int max_message_bytes) {
  const std::int64_t latent_bytes =
      std::int64_t{4} * channels * (geometry.height / kMinExtent) * (geometry.width / kMinExtent);
  return static_cast<int>((max_message_bytes - kChunkHeaderBytes) / latent_bytes);
}

grpc::ServerUnaryReactor* FinishWith(grpc::CallbackServerContext& context,
                                     const grpc::Status& status) {
  grpc::ServerUnaryReactor* reactor = context.DefaultReactor();
  reactor->Finish(status);
  return reactor;
}

}  // namespace

InfoService::InfoService(const DecodeWorker& worker, const CapacityLedger& ledger,
                         int max_message_bytes)
    : worker_(worker), ledger_(ledger), max_message_bytes_(max_message_bytes) {}

grpc::ServerUnaryReactor* InfoService::ListModels(grpc::CallbackServerContext* context,
                                                  const v1::ListModelsRequest*,
                                                  v1::ListModelsResponse* response) {
  for (const std::string& name : worker_.model_names()) {
    const Result<ModelFacts> facts = worker_.DescribeModel(name);
    if (!facts.ok()) return FinishWith(*context, ToStatus(facts.failure(), {}));
    Fill(name, facts.value(), *response->add_models());
  }
  return FinishWith(*context, grpc::Status::OK);
}

grpc::ServerUnaryReactor* InfoService::GetModel(grpc::CallbackServerContext* context,
                                                const v1::GetModelRequest* request,
                                                v1::Model* response) {
  const Result<ModelFacts> facts = worker_.DescribeModel(request->name());
  if (!facts.ok()) return FinishWith(*context, ToStatus(facts.failure(), {}));
  Fill(request->name(), facts.value(), *response);
  return FinishWith(*context, grpc::Status::OK);
}

grpc::ServerUnaryReactor* InfoService::GetServerInfo(grpc::CallbackServerContext* context,
                                                     const v1::GetServerInfoRequest*,
                                                     v1::ServerInfo* response) {
  response->set_version(CAUSEWAY_VERSION);
  response->set_api_minor(kApiMinor);
  for (const char* capability : kCapabilities) response->add_capabilities(capability);
  // max_chunk_latents depends on the stream: Opened and GetModel have it.
  response->mutable_limits()->set_max_message_bytes(max_message_bytes_);
  response->mutable_limits()->set_max_pending_chunks(SessionOptions().max_pending_chunks);
  response->mutable_limits()->set_max_frame_credits(kMaxFrameCredits);
  response->set_sessions(ledger_.sessions());
  response->set_max_sessions(ledger_.max_sessions());
  response->set_reserved_bytes(ledger_.bytes());
  response->set_max_reserved_bytes(ledger_.max_bytes());
  return FinishWith(*context, grpc::Status::OK);
}

void InfoService::Fill(const std::string& name, const ModelFacts& facts, v1::Model& model) const {
  model.set_name(name);
  model.set_family(facts.family);
  model.set_base_width(facts.base_width);
  model.set_latent_channels(facts.latent_channels);
  model.mutable_frame_rule()->set_first_latent_frames(facts.first_latent_frames);
  model.mutable_frame_rule()->set_per_latent_frames(facts.per_latent_frames);
  model.set_backend(facts.backend);
  for (const GeometryCost& cost : facts.geometries) {
    v1::GeometryCost& row = *model.add_geometries();
    row.mutable_geometry()->set_height(cost.geometry.height);
    row.mutable_geometry()->set_width(cost.geometry.width);
    row.set_state_bytes(cost.state_bytes);
    row.set_flops_per_latent(cost.flops_per_latent);
    row.set_max_chunk_latents(
        MaxChunkLatents(cost.geometry, facts.latent_channels, max_message_bytes_));
  }
  model.mutable_geometry_limits()->set_multiple_of(kMinExtent);
  model.mutable_geometry_limits()->set_min(kMinExtent);
  model.mutable_geometry_limits()->set_max(kMaxExtent);
  model.set_replay_latents(facts.replay_latents);
}

}  // namespace causeway::rpc
