// SPDX-License-Identifier: Apache-2.0
// The unary calls of the Decoder service.
#include "server/rpc/info_service.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/server/rpc/rpc_fixture.h"

namespace causeway::rpc {
namespace {

class InfoServiceTest : public RpcFixture {
 protected:
  v1::ServerInfo Info() {
    grpc::ClientContext context;
    v1::ServerInfo info;
    EXPECT_TRUE(stub_->GetServerInfo(&context, {}, &info).ok());
    return info;
  }
  grpc::Status GetModel(const std::string& name, v1::Model& model) {
    grpc::ClientContext context;
    v1::GetModelRequest request;
    request.set_name(name);
    return stub_->GetModel(&context, request, &model);
  }
};

TEST_F(InfoServiceTest, ListsTheModelsInTheOrderOfTheConfiguration) {
  grpc::ClientContext context;
  v1::ListModelsResponse response;
  ASSERT_TRUE(stub_->ListModels(&context, {}, &response).ok());
  std::vector<std::string> names;
  for (const v1::Model& model : response.models()) names.push_back(model.name());
  EXPECT_EQ(names, worker_.model_names());
}

TEST_F(InfoServiceTest, SaysWhatAModelIsAndCosts) {
  v1::Model model;
  ASSERT_TRUE(GetModel("fake", model).ok());
  EXPECT_EQ(model.name(), "fake");
  EXPECT_EQ(model.family(), "none");
  EXPECT_EQ(model.base_width(), 1);
  EXPECT_EQ(model.latent_channels(), testing::FakeDecodeWorker::kChannels);
  EXPECT_EQ(model.frame_rule().first_latent_frames(), 1);
  EXPECT_EQ(model.frame_rule().per_latent_frames(), 4);
  EXPECT_EQ(model.backend(), "fake");
  EXPECT_EQ(model.replay_latents(), 38);
  EXPECT_EQ(model.geometry_limits().multiple_of(), 8);
  EXPECT_EQ(model.geometry_limits().min(), 8);
  EXPECT_EQ(model.geometry_limits().max(), 8192);
  ASSERT_EQ(model.geometries_size(), 1);
  const v1::GeometryCost& cost = model.geometries(0);
  EXPECT_EQ(cost.geometry().height(), 64);
  EXPECT_EQ(cost.geometry().width(), 128);
  EXPECT_EQ(cost.state_bytes(), worker_.state_bytes);
  EXPECT_EQ(cost.flops_per_latent(), 12'345);
  // A message of 1 MiB less 128 bytes, and 4 x 8 x 16 elements of 4 bytes.
  EXPECT_EQ(cost.max_chunk_latents(), 511);
}

TEST_F(InfoServiceTest, ARefusedModelNamesThoseThatThereAre) {
  v1::Model model;
  const grpc::Status status = GetModel("missing", model);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::NOT_FOUND);
  const google::rpc::ErrorInfo info = InfoOf(status);
  EXPECT_EQ(info.reason(), "UNKNOWN_MODEL");
  EXPECT_EQ(info.metadata().at("got"), "'missing'");
  for (const std::string& name : worker_.model_names()) {
    EXPECT_NE(info.metadata().at("allowed").find(name), std::string::npos);
  }
}

TEST_F(InfoServiceTest, SaysWhatTheServerIsAndHowFull) {
  const v1::ServerInfo empty = Info();
  EXPECT_FALSE(empty.version().empty());
  EXPECT_EQ(empty.api_minor(), kApiMinor);
  EXPECT_EQ(empty.limits().max_message_bytes(), kMessageBytes);
  EXPECT_GE(empty.limits().max_pending_chunks(), 1);
  EXPECT_EQ(empty.limits().max_frame_credits(), 64);
  EXPECT_TRUE(std::is_sorted(empty.capabilities().begin(), empty.capabilities().end()));
  EXPECT_EQ(empty.sessions(), 0);
  EXPECT_EQ(empty.reserved_bytes(), 0);
  EXPECT_EQ(empty.max_sessions(), 4);
  EXPECT_EQ(empty.max_reserved_bytes(), 4000);

  TestStream stream(*stub_);
  stream.Send(OpenMessage());
  ASSERT_TRUE(stream.Read());
  const v1::ServerInfo busy = Info();
  EXPECT_EQ(busy.sessions(), 1);
  EXPECT_EQ(busy.reserved_bytes(), worker_.state_bytes);
  stream.Send(EndMessage());
  EXPECT_TRUE(stream.Finish().ok());
}

}  // namespace
}  // namespace causeway::rpc
