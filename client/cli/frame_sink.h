// SPDX-License-Identifier: Apache-2.0
// Takes the frames of one decode in order, into the files of --out and the comparisons.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "client/cli/comparison.h"
#include "client/cli/decode_options.h"
#include "client/cli/decode_report.h"
#include "client/cli/frame_output.h"
#include "client/cli/frame_rgb.h"

namespace causeway::cli {

/// Every function throws FileError for files. Not thread-safe.
class FrameSink {
 public:
  /// Checks the outputs' endings and opens the videos to compare with; writes nothing.
  FrameSink(const DecodeOptions& options, int height, int width);

  /// Opens the outputs for `frames` frames.
  void Open(std::int64_t frames);

  /// `pixels`: of the next frame, in the pixel format of the options.
  void Take(std::span<const std::byte> pixels);

  /// The next frame does not come: outputs get the one before again (zeros before the first one),
  /// folders of pictures nothing; it is not compared.
  void Drop();

  /// Frames taken and dropped so far.
  std::int64_t frames() const { return frames_; }

  /// Gives the outputs their names.
  void Finish();

  std::vector<ComparisonResult> Comparisons() const;

 private:
  void Write(const Picture& picture);

  const DecodeOptions& options_;
  int height_;
  int width_;
  FrameRgb rgb_;
  std::optional<Comparison> source_;
  std::optional<Comparison> reference_;
  std::vector<std::unique_ptr<FrameOutput>> outputs_;
  std::vector<std::byte> last_pixels_;  // kept only where frames may be dropped
  std::int64_t frames_ = 0;
};

}  // namespace causeway::cli
