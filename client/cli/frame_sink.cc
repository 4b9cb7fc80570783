// SPDX-License-Identifier: Apache-2.0
#include "client/cli/frame_sink.h"

#include <filesystem>
#include <set>

#include "server/base/failure.h"

namespace causeway::cli {
namespace {

/// No output may take the place of what is read, or of another output.
void CheckOutputsAreDistinct(const DecodeOptions& options) {
  const auto place = [](const std::string& path) {
    std::error_code ignored;
    return std::filesystem::weakly_canonical(path, ignored).lexically_normal().string();
  };
  std::set<std::string> taken;
  for (const std::string& input :
       {options.latents_path, options.source_path, options.reference_path}) {
    if (!input.empty()) taken.insert(place(input));
  }
  for (const std::string& path : options.outputs) {
    CheckOutputEnding(path);
    if (!taken.insert(place(path)).second) {
      throw FileError(path, "--out: names an input or an output a second time");
    }
  }
}

std::size_t FrameBytes(const PixelLayout& layout, int height, int width) {
  auto bytes = static_cast<std::size_t>(TensorDtypeBytes(layout.dtype));
  for (const std::int64_t extent : FramesShape(layout, 1, height, width)) {
    bytes *= static_cast<std::size_t>(extent);
  }
  return bytes;
}

}  // namespace

FrameSink::FrameSink(const DecodeOptions& options, int height, int width)
    : options_(options), height_(height), width_(width), rgb_(LayoutOf(options), height, width) {
  CheckOutputsAreDistinct(options);
  if (!options.source_path.empty()) source_.emplace(options.source_path, height, width);
  if (!options.reference_path.empty()) reference_.emplace(options.reference_path, height, width);
}

void FrameSink::Open(std::int64_t frames) {
  const OutputSpec spec{LayoutOf(options_), frames, height_, width_, options_.fps,
                        source_.has_value()};
  for (const std::string& path : options_.outputs) outputs_.push_back(OpenOutput(path, spec));
}

void FrameSink::Take(std::span<const std::byte> pixels) {
  Picture picture{frames_++, pixels, rgb_.Convert(pixels), {}, false};
  if (source_) picture.source_rgb = source_->Next(picture.rgb);
  if (reference_) reference_->Next(picture.rgb);
  Write(picture);
  if (DeliveryOf(options_) == v1::DELIVERY_MODE_DROP_OLDEST) {
    last_pixels_.assign(pixels.begin(), pixels.end());
  }
}

void FrameSink::Drop() {
  if (last_pixels_.empty()) last_pixels_.resize(FrameBytes(LayoutOf(options_), height_, width_));
  Picture picture{frames_++, last_pixels_, rgb_.Convert(last_pixels_), {}, true};
  if (source_) picture.source_rgb = source_->Skip();
  if (reference_) reference_->Skip();
  Write(picture);
}

void FrameSink::Write(const Picture& picture) {
  for (const auto& output : outputs_) output->Write(picture);
}

void FrameSink::Finish() {
  for (const auto& output : outputs_) output->Finish();
}

std::vector<ComparisonResult> FrameSink::Comparisons() const {
  std::vector<ComparisonResult> results;
  if (source_) results.push_back({"source", source_->path(), source_->Summary()});
  if (reference_) results.push_back({"reference", reference_->path(), reference_->Summary()});
  return results;
}

}  // namespace causeway::cli
