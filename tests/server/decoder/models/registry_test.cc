// SPDX-License-Identifier: Apache-2.0
#include "server/decoder/models/registry.h"

#include <stdexcept>

#include <gtest/gtest.h>

namespace causeway::decoder {
namespace {

TEST(Registry, EveryRowIsComplete) {
  ASSERT_FALSE(ModelFamilies().empty());
  for (const ModelFamily& family : ModelFamilies()) {
    EXPECT_FALSE(family.name.empty());
    EXPECT_FALSE(family.config_class.empty());
    EXPECT_NE(family.has_diffusers_names, nullptr);
    EXPECT_NE(family.has_original_names, nullptr);
    EXPECT_NE(family.read_config, nullptr);
    EXPECT_NE(family.config_from_tensors, nullptr);
    EXPECT_NE(family.map_diffusers_key, nullptr);
    EXPECT_NE(family.map_original_key, nullptr);
    EXPECT_NE(family.list_weights, nullptr);
    EXPECT_NE(family.build_plan, nullptr);
    EXPECT_EQ(&FindFamily(family.name), &family);
  }
  EXPECT_THROW(FindFamily("nobody"), std::out_of_range);
}

TEST(Registry, BuiltInModelsHaveTheParametersThatArePublished) {
  const std::vector<ModelConfig> models = BuiltInModels();
  const std::pair<std::string, std::int64_t> expected[] = {{"wan2.1", 73'295'603},
                                                           {"lightvae", 4'617'611}};
  ASSERT_EQ(models.size(), std::size(expected));
  for (std::size_t i = 0; i < models.size(); ++i) {
    EXPECT_EQ(models[i].name, expected[i].first);
    std::int64_t parameters = 0;
    for (const WeightSpec& spec : FindFamily(models[i].family).list_weights(models[i])) {
      parameters += ElementCount(spec.shape).value();
    }
    EXPECT_EQ(parameters, expected[i].second);
    EXPECT_EQ(models[i].latents_mean.size(), 16u);
    EXPECT_EQ(models[i].latents_std.size(), 16u);
  }
}

}  // namespace
}  // namespace causeway::decoder
