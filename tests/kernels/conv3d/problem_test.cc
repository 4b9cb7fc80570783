// SPDX-License-Identifier: Apache-2.0
#include <functional>

#include <gtest/gtest.h>

#include "causeway/kernels/conv3d.h"

namespace causeway::kernels {
namespace {

Conv3dProblem Good() {
  return {ElementType::kFp16,
          96,
          96,
          4,
          704,
          1280,
          {RawType::kFp32, RawType::kFp32, NormType::kRmsSilu}};
}

TEST(Conv3dProblem, AcceptsTheDecodersHeaviestConvolution) { EXPECT_FALSE(Check(Good())); }

TEST(Conv3dProblem, NamesTheFieldThatItRefuses) {
  struct Case {
    const char* what;
    std::function<void(Conv3dProblem&)> spoil;
  };
  for (const Case& c : {Case{"in_channels", [](auto& p) { p.in_channels = 0; }},
                        Case{"in_channels", [](auto& p) { p.in_channels = 12; }},
                        Case{"out_channels", [](auto& p) { p.out_channels = 3; }},
                        Case{"out_channels", [](auto& p) { p.out_channels = 1 << 20; }},
                        Case{"frames", [](auto& p) { p.frames = 0; }},
                        Case{"height", [](auto& p) { p.height = -1; }},
                        Case{"width", [](auto& p) { p.width = 1 << 30; }},
                        Case{"epilogue", [](auto& p) { p.epilogue = {}; }},
                        Case{"epilogue", [](auto& p) {
                               p.element = ElementType::kTf32;
                               p.epilogue.residual = RawType::kElement;
                             }}}) {
    Conv3dProblem problem = Good();
    c.spoil(problem);
    const auto rejection = Check(problem);
    ASSERT_TRUE(rejection) << c.what;
    EXPECT_EQ(rejection->what, c.what);
    EXPECT_FALSE(rejection->reason.empty());
  }
}

TEST(Conv3dProblem, RefusesAGridBeyondOneAxis) {
  Conv3dProblem problem = Good();
  problem.frames = 1 << 20;
  problem.height = 1 << 20;
  const auto rejection = Check(problem);
  ASSERT_TRUE(rejection);
  EXPECT_EQ(rejection->what, "frames");
}

TEST(Conv3dProblem, PrintsAsOneLineWithEverythingInIt) {
  EXPECT_EQ(ToString(Good()), "fp16 96->96 4 frames 704x1280 residual=fp32 raw=fp32 norm=rms_silu");
}

}  // namespace
}  // namespace causeway::kernels
