// SPDX-License-Identifier: Apache-2.0
// The tests of the portable kernel in little: few forms and small pictures, so that run_mutants.py
// can run it for every planted bug. It passes on the shipped source, which ctest checks too.
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "tests/kernels/conv3d/conv3d_case.h"

namespace causeway::kernels::test {
namespace {

using simt::AsyncCompletion;

constexpr TileConfig kSmall{16, 16, 8, 1, 2, 2, 2, 4};
constexpr TileConfig kWideChunk{16, 16, 8, 1, 2, 12, 8, 4};
constexpr TileConfig kTwoWarps{8, 16, 4, 2, 2, 12, 4, 4};
constexpr TileConfig kFourWarps{8, 8, 2, 4, 2, 12, 4, 3};

constexpr Conv3dEpilogue kRawOnly{RawType::kNone, RawType::kFp32, NormType::kNone};
constexpr Conv3dEpilogue kAll{RawType::kFp32, RawType::kFp32, NormType::kRmsSilu};
constexpr Conv3dEpilogue kAllElements{RawType::kElement, RawType::kElement, NormType::kRms};

void ExpectRight(const Conv3dProblem& problem, const TileConfig& tile, const CaseOptions& options,
                 const std::vector<simt::LaunchOptions>& launches) {
  Conv3dCase run(problem, options);
  for (const simt::LaunchOptions& launch : launches) {
    run.Run(tile, launch);
    if (testing::Test::HasFatalFailure()) return;
    run.ExpectRight();
  }
}

TEST(MutantProbe, SumsIntegersExactlyOverTwoChunksAndSeveralTiles) {
  // Neither the second chunk nor the tile's channels are full.
  ExpectRight({ElementType::kFp16, 24, 8, 2, 17, 18, kRawOnly}, kSmall,
              {.seed = 3, .missing_history = 1}, {{.seed = 5, .async = AsyncCompletion::kLatest}});
}

TEST(MutantProbe, SumsTf32AndBf16Exactly) {
  ExpectRight({ElementType::kTf32, 12, 12, 1, 5, 9, kRawOnly}, kSmall,
              {.seed = 4, .missing_history = 2}, {{.seed = 6, .async = AsyncCompletion::kRandom}});
  ExpectRight({ElementType::kBf16, 16, 16, 1, 3, 10, kRawOnly}, kSmall, {.seed = 5},
              {{.seed = 7, .async = AsyncCompletion::kEarliest}});
}

TEST(MutantProbe, FinishesRealValuesWithinTheirBounds) {
  // Channels that fill the tile, and fewer.
  for (const auto& [element, channels, epilogue] :
       {std::tuple{ElementType::kFp16, 16, kAll}, std::tuple{ElementType::kFp16, 8, kAllElements},
        std::tuple{ElementType::kBf16, 16, kAllElements},
        std::tuple{ElementType::kTf32, 12, kAll}}) {
    ExpectRight({element, 8, channels, 2, 4, 10, epilogue}, kSmall, {.integers = false, .seed = 8},
                {{.seed = 9, .approximation_seed = 0}, {.seed = 10, .approximation_seed = 7}});
  }
}

TEST(MutantProbe, NormsOverSeveralWarps) {
  // Three patches: the last one lies where the partial sums go. The tile is not square, and its
  // second column would not reach the edge if it began a tile's height after the first.
  ExpectRight({ElementType::kFp16, 24, 192, 1, 9, 26, kAll}, kTwoWarps,
              {.integers = false, .seed = 11}, {{.seed = 12}});
  ExpectRight({ElementType::kFp16, 72, 384, 1, 3, 9, kAll}, kFourWarps,
              {.integers = false, .seed = 13, .missing_history = 2},
              {{.seed = 14, .async = AsyncCompletion::kLatest}});
}

TEST(MutantProbe, SumsIntegersExactlyInTheWidestChunk) {
  ExpectRight({ElementType::kFp16, 72, 96, 1, 6, 7, kRawOnly}, kWideChunk,
              {.seed = 15, .missing_history = 1},
              {{.seed = 16, .async = AsyncCompletion::kLatest}});
}

TEST(MutantProbe, AFrameWithoutAnyInputIsBiasAndResidual) {
  ExpectRight({ElementType::kFp16, 8, 16, 1, 2, 3, kAll}, kSmall,
              {.integers = false, .seed = 17, .missing_history = 3}, {{.seed = 18}});
}

}  // namespace
}  // namespace causeway::kernels::test
