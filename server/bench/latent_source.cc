// SPDX-License-Identifier: Apache-2.0
#include "server/bench/latent_source.h"

#include <vector>

#include "server/base/failure.h"
#include "server/base/utf8.h"
#include "server/bench/item_list.h"
#include "server/bench/random_latents.h"

namespace causeway::bench {
namespace {

using decoder::LatentAxes;
using decoder::LatentDtype;
using decoder::LatentShape;

// Far above any stream; it keeps every extent and count of frames within an int.
constexpr std::int64_t kMaxExtent = 1 << 24;
constexpr std::size_t kRank = 4;
constexpr std::size_t kListedNames = 12;

std::string TensorNames(const SafetensorsFile& file) {
  std::string names;
  std::size_t listed = 0;
  for (const auto& [name, view] : file.tensors()) {
    if (listed == kListedNames) return names + ", ...";
    AppendItem(names, Quote(name));
    ++listed;
  }
  return listed == 0 ? "nothing: the file holds no tensor" : names;
}

const TensorView& FindTensor(const SafetensorsFile& file, const std::string& key) {
  if (const TensorView* view = file.Find(key)) return *view;
  throw FileError(file.path(), "key: got " + Quote(key) + ", allowed: " + TensorNames(file));
}

LatentDtype DtypeOf(const std::string& path, const std::string& key, TensorDtype dtype) {
  switch (dtype) {
    case TensorDtype::kF32:
      return LatentDtype::kF32;
    case TensorDtype::kF16:
      return LatentDtype::kF16;
    case TensorDtype::kBF16:
      return LatentDtype::kBF16;
    default:
      throw FileError(path, Quote(key) + ": got dtype " + std::string(TensorDtypeName(dtype)) +
                                ", allowed: F32, F16, BF16");
  }
}

LatentShape ShapeOf(const LatentFileOptions& options, const TensorView& view, int channels) {
  const bool is_cthw = options.axes == LatentAxes::kCthw;
  const auto refuse = [&](const std::string& why) {
    const std::string extent = std::to_string(channels);
    throw FileError(
        options.path,
        Quote(options.key) + ": got shape " + ShapeText(view.shape) + why +
            ", allowed: " + (is_cthw ? "[" + extent + ", T, h, w]" : "[T, " + extent + ", h, w]") +
            " with --axes " + (is_cthw ? "cthw" : "tchw"));
  };
  std::span<const std::int64_t> extents = view.shape;
  if (extents.size() == kRank + 1 && extents.front() == 1) extents = extents.subspan(1);
  if (extents.size() != kRank) refuse("");
  for (const std::int64_t extent : extents) {
    if (extent < 1 || extent > kMaxExtent) refuse("");
  }
  const LatentShape shape{.channels = static_cast<int>(extents[is_cthw ? 0 : 1]),
                          .latents = static_cast<int>(extents[is_cthw ? 1 : 0]),
                          .height = static_cast<int>(extents[2]),
                          .width = static_cast<int>(extents[3])};
  if (shape.channels != channels) refuse(" (" + std::to_string(shape.channels) + " channels)");
  return shape;
}

}  // namespace

FileLatents::FileLatents(const LatentFileOptions& options, int channels)
    : file_(SafetensorsFile::Open(options.path)) {
  const TensorView& view = FindTensor(file_, options.key);
  format_ = {.dtype = DtypeOf(options.path, options.key, view.dtype),
             .axes = options.axes,
             .domain = options.domain};
  shape_ = ShapeOf(options, view, channels);
  payload_ = view.bytes;
}

void FileLatents::Read(int index, std::span<float> out) const {
  try {
    decoder::ConvertLatent(payload_, format_, shape_, index, out);
  } catch (const FailureError& error) {
    throw FileError(file_.path(), error.what());
  }
}

void RandomLatents::Read(int index, std::span<float> out) const {
  FillRandomLatent(seed_, index, out);
}

}  // namespace causeway::bench
