// SPDX-License-Identifier: Apache-2.0
#include "client/cli/models_command.h"

#include <sstream>

#include <gtest/gtest.h>

#include "server/base/json.h"

namespace causeway::cli {
namespace {

std::vector<v1::Model> Example() {
  v1::Model model;
  model.set_name("demo");
  model.set_family("wan21");
  model.set_base_width(16);
  model.set_latent_channels(16);
  model.mutable_frame_rule()->set_first_latent_frames(1);
  model.mutable_frame_rule()->set_per_latent_frames(4);
  model.set_backend("reference on cpu");
  model.set_replay_latents(38);
  model.mutable_geometry_limits()->set_multiple_of(8);
  model.mutable_geometry_limits()->set_min(8);
  model.mutable_geometry_limits()->set_max(8192);
  v1::Model any = model;
  any.set_name("any");
  v1::GeometryCost& cost = *model.add_geometries();
  cost.mutable_geometry()->set_height(704);
  cost.mutable_geometry()->set_width(1280);
  cost.set_state_bytes(std::int64_t{3} << 19);
  cost.set_flops_per_latent(2'340'000'000);
  cost.set_max_chunk_latents(9);
  return {model, any};
}

std::string Printed(const std::vector<v1::Model>& models, bool json) {
  std::ostringstream out;
  PrintModels(models, json, out);
  return out.str();
}

TEST(ModelsCommand, PrintsARowForEachGeometry) {
  const std::string text = Printed(Example(), false);
  EXPECT_NE(text.find("demo   wan21   16          1280x704"), std::string::npos) << text;
  EXPECT_NE(text.find("1.5 MiB          2.3             9                38"), std::string::npos)
      << text;
  EXPECT_NE(text.find("any of 8 to 8192, in steps of 8"), std::string::npos) << text;
  EXPECT_NE(text.find("demo: reference on cpu"), std::string::npos) << text;
}

TEST(ModelsCommand, PrintsJsonWithEveryFigure) {
  const JsonValue json = ParseJson(Printed(Example(), true));
  const auto& models = *json.Find("models")->array();
  ASSERT_EQ(models.size(), 2u);
  EXPECT_EQ(models[0].Find("replay_latents")->integer(), 38);
  const auto& geometries = *models[0].Find("geometries")->array();
  ASSERT_EQ(geometries.size(), 1u);
  EXPECT_EQ(geometries[0].Find("height")->integer(), 704);
  EXPECT_EQ(geometries[0].Find("flops_per_latent")->integer(), 2'340'000'000);
  EXPECT_TRUE(models[1].Find("geometries")->array()->empty());
}

TEST(ModelsCommand, SaysThatThereIsNone) {
  EXPECT_EQ(Printed({}, false), "the server holds no model\n");
}

}  // namespace
}  // namespace causeway::cli
