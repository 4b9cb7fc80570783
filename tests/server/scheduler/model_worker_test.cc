// SPDX-License-Identifier: Apache-2.0
// The real worker with the demo model: what it says, what it refuses, and that it never throws.
#include "server/scheduler/model_worker.h"

#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace causeway {
namespace {

constexpr int kElements = 16 * 4 * 4;  // of a 32x32 picture's latent

class ModelWorkerTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    worker_ = new ModelWorker;
    worker_->Load("demo", {.model_path = CAUSEWAY_SOURCE_DIR "/deploy/demo/model", .threads = 1});
  }
  static void TearDownTestSuite() {
    delete worker_;
    worker_ = nullptr;
  }
  static StreamSpec Spec() {
    StreamSpec spec;
    spec.model = "demo";
    spec.geometry = {.height = 32, .width = 32};
    return spec;
  }
  static std::vector<std::byte> Payload(const std::vector<float>& values) {
    std::vector<std::byte> payload(values.size() * sizeof(float));
    std::memcpy(payload.data(), values.data(), payload.size());
    return payload;
  }

  static ModelWorker* worker_;
};

ModelWorker* ModelWorkerTest::worker_ = nullptr;

TEST_F(ModelWorkerTest, DescribesAStream) {
  EXPECT_EQ(worker_->model_names(), std::vector<std::string>{"demo"});
  const Result<StreamFacts> facts = worker_->Describe(Spec());
  ASSERT_TRUE(facts.ok());
  EXPECT_GT(facts.value().state_bytes, 0);
  EXPECT_EQ(facts.value().latent_channels, 16);
  EXPECT_EQ(facts.value().latent_bytes, kElements * 4);
  EXPECT_EQ(facts.value().frame_bytes, 3 * 32 * 32);
  EXPECT_EQ(facts.value().first_latent_frames, 1);
  EXPECT_EQ(facts.value().per_latent_frames, 4);
  EXPECT_EQ(facts.value().backend, "reference");
}

TEST_F(ModelWorkerTest, DescribesAModel) {
  const Result<ModelFacts> facts = worker_->DescribeModel("demo");
  ASSERT_TRUE(facts.ok());
  EXPECT_EQ(facts.value().family, "wan21");
  EXPECT_EQ(facts.value().latent_channels, 16);
  EXPECT_GT(facts.value().base_width, 0);
  EXPECT_EQ(facts.value().first_latent_frames, 1);
  EXPECT_EQ(facts.value().per_latent_frames, 4);
  EXPECT_EQ(facts.value().backend, "reference");
  EXPECT_EQ(facts.value().geometries.size(), 0u);
  // 12 convolutions at 1 frame a latent, 7 at 2 and 13 at 4 look back 2 frames each: 37.5 latents.
  EXPECT_EQ(facts.value().replay_latents, 38);
  EXPECT_EQ(worker_->DescribeModel("other").failure().reason, Reason::kUnknownModel);
}

TEST(AllowedGeometries, HaveTheirCostsAndRefuseAllOthers) {
  ModelWorker worker({{.height = 32, .width = 32}, {.height = 64, .width = 32}});
  worker.Load("demo", {.model_path = CAUSEWAY_SOURCE_DIR "/deploy/demo/model", .threads = 1});
  const Result<ModelFacts> facts = worker.DescribeModel("demo");
  ASSERT_TRUE(facts.ok());
  ASSERT_EQ(facts.value().geometries.size(), 2u);
  const GeometryCost& small = facts.value().geometries[0];
  const GeometryCost& large = facts.value().geometries[1];
  EXPECT_EQ(large.geometry, (decoder::Geometry{.height = 64, .width = 32}));
  EXPECT_EQ(large.state_bytes, 2 * small.state_bytes);
  // Convolutions cost by area; attention by the square of it.
  EXPECT_GT(large.flops_per_latent, 2 * small.flops_per_latent);

  StreamSpec spec;
  spec.model = "demo";
  spec.geometry = {.height = 64, .width = 32};
  const Result<StreamFacts> stream = worker.Describe(spec);
  ASSERT_TRUE(stream.ok());
  EXPECT_EQ(stream.value().state_bytes, large.state_bytes);
  spec.geometry = {.height = 32, .width = 64};
  const Result<StreamFacts> refused = worker.Describe(spec);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.failure().reason, Reason::kBadGeometry);
  EXPECT_EQ(refused.failure().field, "geometry");
  EXPECT_EQ(refused.failure().got, "32x64");
  EXPECT_EQ(refused.failure().allowed, "32x32, 64x32");
}

TEST_F(ModelWorkerTest, RefusesUnknownModelsAndBadGeometries) {
  StreamSpec spec = Spec();
  spec.model = "other";
  EXPECT_EQ(worker_->Describe(spec).failure().reason, Reason::kUnknownModel);
  EXPECT_EQ(worker_->OpenStream(spec).failure().reason, Reason::kUnknownModel);
  EXPECT_EQ(worker_->UnpackChunk(spec, {}, 1).failure().reason, Reason::kUnknownModel);
  spec = Spec();
  spec.geometry.width = 33;
  EXPECT_EQ(worker_->Describe(spec).failure().reason, Reason::kBadGeometry);
  EXPECT_EQ(worker_->OpenStream(spec).failure().reason, Reason::kBadGeometry);
}

TEST_F(ModelWorkerTest, UnpacksAChunkIntoLatentsWhateverItsAxes) {
  std::vector<float> tchw(2 * kElements);
  for (std::size_t index = 0; index < tchw.size(); ++index) tchw[index] = static_cast<float>(index);
  std::vector<float> cthw(tchw.size());
  for (int latent = 0; latent < 2; ++latent) {
    for (int channel = 0; channel < 16; ++channel) {
      for (int at = 0; at < 16; ++at) {
        cthw[(channel * 2 + latent) * 16 + at] = tchw[(latent * 16 + channel) * 16 + at];
      }
    }
  }
  StreamSpec spec = Spec();
  spec.latent_format.axes = decoder::LatentAxes::kTchw;
  EXPECT_EQ(worker_->UnpackChunk(spec, Payload(tchw), 2).value(), tchw);
  spec.latent_format.axes = decoder::LatentAxes::kCthw;
  EXPECT_EQ(worker_->UnpackChunk(spec, Payload(cthw), 2).value(), tchw);
}

TEST_F(ModelWorkerTest, RefusesWhatCannotBeUnpacked) {
  std::vector<float> values(2 * kElements);
  EXPECT_EQ(worker_->UnpackChunk(Spec(), Payload(values), 3).failure().reason,
            Reason::kPayloadSizeMismatch);
  values.back() = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(worker_->UnpackChunk(Spec(), Payload(values), 2).failure().reason,
            Reason::kNonFiniteLatent);
}

TEST_F(ModelWorkerTest, DecodesAStream) {
  Result<std::unique_ptr<LatentStream>> stream = worker_->OpenStream(Spec());
  ASSERT_TRUE(stream.ok());
  const std::vector<float> latent(kElements, 0.5f);
  const Result<decoder::DecodedLatent> first = stream.value()->DecodeLatent(latent);
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(first.value().frame_count, 1);
  EXPECT_EQ(first.value().pixels.size(), 3u * 32 * 32);
  const Result<decoder::DecodedLatent> second = stream.value()->DecodeLatent(latent);
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(second.value().frame_count, 4);
  EXPECT_EQ(second.value().pixels.size(), 4u * 3 * 32 * 32);
  EXPECT_GT(second.value().times.total.count(), 0);
}

TEST_F(ModelWorkerTest, TurnsWhatTheDecoderThrowsIntoAFailure) {
  Result<std::unique_ptr<LatentStream>> stream = worker_->OpenStream(Spec());
  ASSERT_TRUE(stream.ok());
  const std::vector<float> too_short(kElements - 1);
  EXPECT_EQ(stream.value()->DecodeLatent(too_short).failure().reason, Reason::kPayloadSizeMismatch);
}

TEST(ModelWorkerLoad, ThrowsWhereThereIsNoModel) {
  ModelWorker worker;
  EXPECT_THROW(worker.Load("x", {.model_path = "/nonexistent"}), FileError);
  EXPECT_TRUE(worker.model_names().empty());
}

}  // namespace
}  // namespace causeway
