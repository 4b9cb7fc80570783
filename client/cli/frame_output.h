// SPDX-License-Identifier: Apache-2.0
// Where decoded frames go: the files of --out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "client/cli/frame_rgb.h"

namespace causeway::cli {

/// One decoded frame as an output takes it. The bytes belong to the caller.
struct Picture {
  std::int64_t index = 0;
  std::span<const std::byte> pixels;      // as they came
  std::span<const std::byte> rgb;         // [height, width, 3] u8
  std::span<const std::byte> source_rgb;  // of the same frame of --source; empty: none
  bool is_dropped = false;                // stands in for a frame that did not come
};

/// The video that is going to be written.
struct OutputSpec {
  PixelLayout layout;
  std::int64_t frames = 0;
  int height = 0;
  int width = 0;
  double fps = 0;
  bool has_source = false;
};

/// A file that takes every frame in order and appears with Finish, whole. Every function throws
/// FileError where the file cannot be written.
class FrameOutput {
 public:
  virtual ~FrameOutput() = default;
  virtual void Write(const Picture& picture) = 0;
  virtual void Finish() = 0;
};

/// Throws FileError where the ending of `path` is none of .mp4, .y4m, .png, .safetensors and /.
void CheckOutputEnding(const std::string& path);

/// .mp4 and .y4m: video; .png: contact sheet; .safetensors: a tensor `frames` (FramesShape); /: a
/// PictureFolder.
std::unique_ptr<FrameOutput> OpenOutput(const std::string& path, const OutputSpec& spec);

}  // namespace causeway::cli
