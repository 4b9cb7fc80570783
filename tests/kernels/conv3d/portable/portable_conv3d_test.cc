// SPDX-License-Identifier: Apache-2.0
// The shipped source of the portable kernel, executed on the host.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/conv3d/signatures.h"
#include "tests/kernels/conv3d/conv3d_case.h"

namespace causeway::kernels::test {
namespace {

using simt::AsyncCompletion;

constexpr ElementType kElements[] = {ElementType::kFp16, ElementType::kBf16, ElementType::kTf32};

Conv3dProblem Problem(ElementType element, int in, int out, int frames, int height, int width,
                      const Conv3dEpilogue& epilogue) {
  return {element, in, out, frames, height, width, epilogue};
}

constexpr Conv3dEpilogue kRawOnly{RawType::kNone, RawType::kFp32, NormType::kNone};
constexpr Conv3dEpilogue kResidualRawNorm{RawType::kFp32, RawType::kFp32, NormType::kRmsSilu};

TEST(PortableConv3d, EveryTileOfEveryElementTypeIsExactOnIntegersAcrossItsEdges) {
  for (const TileConfig& tile : TileConfigs()) {
    for (const ElementType element : kElements) {
      // Two chunks of input channels, the second one not full, so that the ring turns; one row of
      // pixels more than the tile.
      const int unit = UnitChannels(element);
      const int in = unit * (tile.chunk_units + 1);
      Conv3dCase run(
          Problem(element, in, tile.channels(), 1, tile.tile_height + 1, tile.tile_width, kRawOnly),
          {.seed = 3, .missing_history = 1});
      run.Run(tile, {.seed = 5, .async = AsyncCompletion::kLatest});
      run.ExpectRight();
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST(PortableConv3d, EverySignatureScaledDownIsExactOnIntegers) {
  const Architecture architecture = *FindArchitecture("sm_86");
  for (const Signature& signature : Signatures()) {
    if (signature.time_taps != 3 || signature.space_taps != 3) continue;
    for (const ElementType element : kElements) {
      Conv3dProblem problem = Problem(element, signature.in_channels, signature.out_channels,
                                      std::min(signature.frames, 2), std::min(signature.height, 9),
                                      std::min(signature.width, 10), kRawOnly);
      if (signature.source == SignatureSource::kHostile) {
        problem.height = signature.height;
        problem.width = signature.width;
      }
      if (problem.in_channels * problem.out_channels > 100 * 100) problem.frames = 1;
      const TileChoice choice = ChooseTile(problem, architecture);
      if (!choice.config) {
        // The head's three channels are another kernel's.
        EXPECT_EQ(signature.out_channels, 3) << signature.why;
        continue;
      }
      Conv3dCase run(problem, {.seed = 11});
      run.Run(*choice.config, {.seed = 7});
      run.ExpectRight();
      if (testing::Test::HasFailure()) FAIL() << signature.why;
    }
  }
}

TEST(PortableConv3d, RealInputsStayWithinTheDerivedBoundThroughEveryEpilogue) {
  const Architecture architecture = *FindArchitecture("sm_90");
  for (const ElementType element : kElements) {
    for (const RawType residual : {RawType::kNone, RawType::kFp32, RawType::kElement}) {
      for (const RawType raw : {RawType::kNone, RawType::kFp32, RawType::kElement}) {
        for (const NormType norm : {NormType::kNone, NormType::kRms, NormType::kRmsSilu}) {
          const Conv3dProblem problem = Problem(element, 16, 24, 2, 5, 9, {residual, raw, norm});
          if (Check(problem)) continue;
          Conv3dCase run(problem, {.integers = false, .seed = 13});
          // Every combination of directions in which the approximate functions may err.
          for (std::uint64_t directions = 0; directions < 8; ++directions) {
            run.Run(*ChooseTile(problem, architecture).config,
                    {.seed = 17 + directions, .approximation_seed = directions});
            run.ExpectRight();
          }
          if (testing::Test::HasFailure()) FAIL() << ToString(problem);
        }
      }
    }
  }
}

TEST(PortableConv3d, NormsPixelsWhoseChannelsAreSpreadOverSeveralWarps) {
  // Two by two tiles of 8 x 16; one of 8 x 8.
  for (const auto& [channels, height, width] : {std::tuple{192, 9, 26}, std::tuple{384, 8, 8}}) {
    const Conv3dProblem problem =
        Problem(ElementType::kFp16, 32, channels, 1, height, width, kResidualRawNorm);
    Conv3dCase run(problem, {.integers = false, .seed = 19});
    run.Run(*ChooseTile(problem, *FindArchitecture("sm_80")).config, {.seed = 23});
    run.ExpectRight();
  }
}

TEST(PortableConv3d, AFrameHasTheSameBitsAloneAndInCompany) {
  const Conv3dProblem problem = Problem(ElementType::kFp16, 16, 16, 4, 18, 7, kResidualRawNorm);
  const TileConfig tile = *ChooseTile(problem, *FindArchitecture("sm_86")).config;
  Conv3dCase together(problem, {.integers = false, .seed = 29, .missing_history = 2});
  together.Run(tile, {.seed = 31});
  const std::vector<std::byte> batched = together.WrittenBytes();

  // Everything that one frame alone leaves as NaN may be anything in the batch; what it writes must
  // be there to the bit.
  for (int frame = 0; frame < problem.frames; ++frame) {
    together.Run(tile, {.seed = 37}, {frame});
    const std::vector<std::byte> alone = together.WrittenBytes();
    std::size_t written = 0;
    for (std::size_t i = 0; i < alone.size(); ++i) {
      if (alone[i] == std::byte{0xff}) continue;
      ++written;
      ASSERT_EQ(alone[i], batched[i]) << "frame " << frame << ", byte " << i;
    }
    EXPECT_GT(written, alone.size() / 16);
  }
}

TEST(PortableConv3d, BitsDoNotDependOnWhenCopiesLandOrOnTheOrderOfWarps) {
  const Conv3dProblem problem = Problem(ElementType::kBf16, 40, 32, 2, 17, 17, kResidualRawNorm);
  const TileConfig tile = *ChooseTile(problem, *FindArchitecture("sm_86")).config;
  Conv3dCase run(problem, {.integers = false, .seed = 41});
  std::vector<std::byte> first;
  for (const AsyncCompletion async :
       {AsyncCompletion::kEarliest, AsyncCompletion::kRandom, AsyncCompletion::kLatest}) {
    for (const std::uint64_t seed : {1, 2, 3}) {
      run.Run(tile, {.seed = seed, .async = async});
      if (first.empty()) first = run.WrittenBytes();
      EXPECT_TRUE(run.WrittenBytes() == first) << "seed " << seed;
    }
  }
}

TEST(PortableConv3d, HistoryThatDoesNotExistEqualsPagesOfZeros) {
  // Missing pages are never read: their content cannot matter, and the oracle adds nothing.
  for (const int missing : {1, 2, 3}) {
    const Conv3dProblem problem = Problem(ElementType::kTf32, 8, 16, 2, 3, 5, kResidualRawNorm);
    Conv3dCase run(problem, {.integers = false, .seed = 43, .missing_history = missing});
    run.Run(*ChooseTile(problem, *FindArchitecture("sm_89")).config, {.seed = 47});
    run.ExpectRight();
  }
}

}  // namespace
}  // namespace causeway::kernels::test
