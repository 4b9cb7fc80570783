// SPDX-License-Identifier: Apache-2.0
// One run of a convolution kernel on the host, with everything that can go wrong prepared: pages in
// random order, unused pages of NaN, outputs prefilled with NaN, and the expected result in fp64
// with a bound for every value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "causeway/kernels/conv3d.h"
#include "kernels/simt/launch.h"

namespace causeway::kernels::test {

struct CaseOptions {
  bool integers = true;  // small integers: every sum is exact in any order
  std::uint64_t seed = 1;
  int missing_history = 0;  // of the first frame: how many of its older inputs do not exist
};

/// A problem with its data. Frame i reads input pages i, i + 1, i + 2 of a stream, each in a page
/// of its own somewhere in the pool.
class Conv3dCase {
 public:
  Conv3dCase(const Conv3dProblem& problem, const CaseOptions& options);

  const Conv3dProblem& problem() const { return problem_; }
  std::vector<FrameEntry>& frames() { return frames_; }

  /// Runs the portable kernel of that tile on all frames, or on those of `only`. Outputs are NaN
  /// before. Fails the test where simt reports something, or where a page that belongs to no frame
  /// has changed.
  void Run(const TileConfig& tile, const simt::LaunchOptions& how, std::vector<int> only = {});

  /// Compares everything that the epilogue writes with the fp64 result; fails the test at the first
  /// value out of its bound, or with more bits than its element type has.
  void ExpectRight(const std::vector<int>& only = {}) const;

  /// All bytes of the pools that were written, for comparisons bit by bit.
  std::vector<std::byte> WrittenBytes() const;

 private:
  struct Expected {
    double sum = 0.0;
    double sum_bound = 0.0;
    double normed = 0.0;
    double normed_bound = 0.0;
  };

  std::int64_t PlaneElements() const { return std::int64_t{problem_.height} * problem_.width; }
  /// A page that belongs to no frame of the launch must still be all NaN.
  void ExpectOnlyOwnPagesWritten(const std::vector<FrameEntry>& list) const;
  double Input(std::int32_t page, int y, int x, int c) const;
  /// Element index of a channel of a pixel in a pool of pages with `channels` channels.
  std::int64_t Index(std::int32_t page, int channels, int y, int x, int c) const;
  std::vector<Expected> ExpectedPixel(const FrameEntry& frame, int y, int x) const;
  void FinishPixel(std::vector<Expected>& channels, const FrameEntry& frame, int y, int x) const;

  Conv3dProblem problem_;
  CaseOptions options_;
  std::vector<float> weights_;         // [out, in, 3, 3, 3], representable in the element type
  std::vector<float> weights_by_tap_;  // the same as [27, in, out], for the oracle's inner loop
  std::vector<float> bias_;            // padded
  std::vector<float> gamma_;           // padded, scaled
  std::vector<std::byte> input_;
  std::vector<std::byte> residual_;
  std::vector<std::byte> raw_;
  std::vector<std::byte> output_;
  std::vector<FrameEntry> frames_;
  int input_pages_ = 0;
  int output_pages_ = 0;
};

}  // namespace causeway::kernels::test
