// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "causeway/kernels/conv3d.h"
#include "kernels/conv3d/signatures.h"

namespace causeway::kernels {
namespace {

Conv3dProblem ProblemOf(const Signature& signature, ElementType element) {
  return {element,
          signature.in_channels,
          signature.out_channels,
          signature.frames,
          signature.height,
          signature.width,
          {RawType::kNone, RawType::kFp32, NormType::kRmsSilu}};
}

bool IsForThisKernel(const Signature& signature) {
  return signature.time_taps == 3 && signature.space_taps == 3 && signature.out_channels != 3;
}

TEST(ChooseTile, EverySignatureHasATileOnEveryArchitectureWithinItsLimits) {
  for (const Architecture& architecture : Architectures()) {
    for (const Signature& signature : Signatures()) {
      if (!IsForThisKernel(signature)) continue;
      for (const ElementType element : {ElementType::kFp16, ElementType::kTf32}) {
        const Conv3dProblem problem = ProblemOf(signature, element);
        const TileChoice choice = ChooseTile(problem, architecture);
        ASSERT_TRUE(choice.config) << architecture.name << ": " << ToString(problem);
        EXPECT_LE(choice.config->shared_bytes(), architecture.shared_bytes_per_block);
        EXPECT_GE(choice.config->channels(), problem.out_channels);
        EXPECT_LE(choice.config->threads(), 1024);
      }
    }
  }
}

TEST(ChooseTile, GivesAReasonForEveryFormThatItDoesNotTake) {
  for (const Architecture& architecture : Architectures()) {
    for (const Signature& signature : Signatures()) {
      if (!IsForThisKernel(signature)) continue;
      const TileChoice choice = ChooseTile(ProblemOf(signature, ElementType::kFp16), architecture);
      EXPECT_EQ(choice.rejections.size() + 1, TileConfigs().size());
      for (const Rejection& rejection : choice.rejections) {
        EXPECT_FALSE(rejection.what.empty());
        EXPECT_FALSE(rejection.reason.empty());
      }
    }
  }
}

TEST(ChooseTile, DoesNotDependOnFramesOrPictureSoThatBitsDoNotEither) {
  for (const Architecture& architecture : Architectures()) {
    Conv3dProblem problem{ElementType::kFp16, 96, 96, 1, 8, 8, {RawType::kNone, RawType::kFp32}};
    const TileChoice small = ChooseTile(problem, architecture);
    problem.frames = 64;
    problem.height = 704;
    problem.width = 1280;
    EXPECT_TRUE(*small.config == *ChooseTile(problem, architecture).config);
  }
}

TEST(ChooseTile, ChoosesTheWideFormsWhereSharedMemoryAllows) {
  const auto chosen = [](int channels, const char* architecture) {
    const Conv3dProblem problem{
        ElementType::kFp16, channels, channels, 4, 64, 64, {RawType::kNone, RawType::kFp32}};
    const TileConfig tile = *ChooseTile(problem, *FindArchitecture(architecture)).config;
    return std::to_string(tile.channels()) + "/" + std::to_string(tile.chunk_units) + "/" +
           std::to_string(tile.weight_stages);
  };
  const std::map<std::string, std::string> expected{
      {"16 sm_86", "16/2/4"},   {"16 sm_90", "16/2/4"},   {"64 sm_86", "64/4/4"},
      {"96 sm_86", "96/4/3"},   {"96 sm_80", "96/4/3"},   {"192 sm_86", "192/4/4"},
      {"192 sm_80", "192/8/4"}, {"384 sm_86", "384/4/3"}, {"384 sm_80", "384/4/5"},
      {"384 sm_90", "384/8/3"}};
  for (const auto& [key, value] : expected) {
    const std::size_t space = key.find(' ');
    EXPECT_EQ(chosen(std::stoi(key), key.substr(space + 1).c_str()), value) << key;
  }
}

TEST(ChooseTile, RefusesWhatTheProblemCheckRefuses) {
  const TileChoice choice = ChooseTile({}, Architectures().front());
  EXPECT_FALSE(choice.config);
  ASSERT_EQ(choice.rejections.size(), 1U);
}

TEST(ChooseTile, RefusesMoreChannelsThanAnyTileHas) {
  const Conv3dProblem problem{
      ElementType::kFp16, 384, 768, 1, 8, 8, {RawType::kNone, RawType::kFp32}};
  const TileChoice choice = ChooseTile(problem, *FindArchitecture("sm_90"));
  EXPECT_FALSE(choice.config);
  EXPECT_EQ(choice.rejections.size(), TileConfigs().size());
}

TEST(TileConfigs, AreConsistentAndDistinct) {
  for (const TileConfig& tile : TileConfigs()) {
    EXPECT_EQ(tile.pixels(), 16 * tile.warps_m * tile.mma_m) << ToString(tile);
    EXPECT_LE(tile.shared_bytes(), 227 * 1024) << ToString(tile);
    int same = 0;
    for (const TileConfig& other : TileConfigs()) same += other == tile ? 1 : 0;
    EXPECT_EQ(same, 1) << ToString(tile);
  }
}

}  // namespace
}  // namespace causeway::kernels
