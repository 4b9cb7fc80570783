// SPDX-License-Identifier: Apache-2.0
#include "client/cli/latents_file.h"

#include <algorithm>

#include "client/cli/latent_dtype.h"
#include "server/base/failure.h"

namespace causeway::cli {
namespace {

// So many names of a checkpoint's tensors are printed where the key is wrong.
constexpr std::size_t kMaxListedKeys = 8;

std::string Keys(const SafetensorsFile& file) {
  std::string keys;
  std::size_t count = 0;
  for (const auto& [name, view] : file.tensors()) {
    if (count == kMaxListedKeys) {
      return keys + ", ... (" + std::to_string(file.tensors().size()) + " in all)";
    }
    keys += (count++ == 0 ? "" : ", ") + name + " " + std::string(TensorDtypeName(view.dtype)) +
            " " + ShapeText(view.shape);
  }
  return keys.empty() ? "nothing: the file holds no tensor" : keys;
}

v1::Dtype WireDtype(TensorDtype dtype) {
  switch (dtype) {
    case TensorDtype::kF32:
      return v1::DTYPE_F32;
    case TensorDtype::kF16:
      return v1::DTYPE_F16;
    case TensorDtype::kBF16:
      return v1::DTYPE_BF16;
    default:
      return v1::DTYPE_UNSPECIFIED;
  }
}

}  // namespace

std::string AxesName(LatentAxes axes) { return axes == LatentAxes::kCthw ? "cthw" : "tchw"; }

LatentsFile::LatentsFile(const std::string& path, const std::string& key, LatentAxes axes)
    : file_(SafetensorsFile::Open(path)), key_(key), axes_(axes) {
  const TensorView* tensor = file_.Find(key);
  if (tensor == nullptr) {
    throw FileError(path, "--key: got " + key + ", the file holds " + Keys(file_));
  }
  const std::string name = "tensor " + key + ": got ";
  shape_ = tensor->shape;
  if (shape_.size() == 5 && shape_[0] == 1) shape_.erase(shape_.begin());
  if (shape_.size() != 4) {
    throw FileError(path, name + "shape " + ShapeText(tensor->shape) +
                              ", allowed: [C, T, h, w] or [T, C, h, w], with or without a leading "
                              "1");
  }
  if (std::any_of(shape_.begin(), shape_.end(), [](std::int64_t n) { return n < 1; })) {
    throw FileError(
        path, name + "shape " + ShapeText(tensor->shape) + ", allowed: extents of at least 1");
  }
  dtype_ = WireDtype(tensor->dtype);
  if (dtype_ == v1::DTYPE_UNSPECIFIED) {
    throw FileError(path, name + "type " + std::string(TensorDtypeName(tensor->dtype)) +
                              ", allowed: F32, F16, BF16");
  }
  bytes_ = tensor->bytes;
}

void LatentsFile::CheckChannels(std::int64_t model_channels) const {
  if (channels() == model_channels) return;
  const LatentAxes other = axes_ == LatentAxes::kCthw ? LatentAxes::kTchw : LatentAxes::kCthw;
  std::string message = "tensor " + key_ + ": got " + std::to_string(channels()) + " channels (" +
                        ShapeText(shape_) + " read as " + AxesName(axes_) +
                        "), allowed: " + std::to_string(model_channels);
  if (latents() == model_channels) message += "; it would fit --axes " + AxesName(other);
  throw FileError(file_.path(), message);
}

std::string LatentsFile::Chunk(std::int64_t first, std::int64_t count, v1::Dtype dtype) const {
  const auto plane =
      static_cast<std::size_t>(height() * width()) * static_cast<std::size_t>(DtypeBytes(dtype_));
  std::string payload;
  payload.reserve(plane * static_cast<std::size_t>(channels() * count));
  const auto append = [this, plane, &payload](std::int64_t from, std::int64_t planes) {
    const auto part = bytes_.subspan(static_cast<std::size_t>(from) * plane,
                                     static_cast<std::size_t>(planes) * plane);
    payload.append(reinterpret_cast<const char*>(part.data()), part.size());
  };
  if (axes_ == LatentAxes::kTchw) {
    append(first * channels(), count * channels());
  } else {
    for (std::int64_t c = 0; c < channels(); ++c) append(c * latents() + first, count);
  }
  return dtype == dtype_ ? payload : ConvertDtype(payload, dtype_, dtype);
}

}  // namespace causeway::cli
