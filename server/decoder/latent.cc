// SPDX-License-Identifier: Apache-2.0
#include "server/decoder/latent.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "server/base/failure.h"
#include "server/base/half.h"

namespace causeway::decoder {
namespace {

static_assert(std::endian::native == std::endian::little, "latents are little endian");

std::string ToString(const LatentShape& shape) {
  return std::to_string(shape.channels) + " channels, " + std::to_string(shape.latents) +
         " latents, " + std::to_string(shape.height) + "x" + std::to_string(shape.width);
}

[[noreturn]] void ThrowSizeMismatch(std::string field, std::string got, std::string allowed) {
  throw FailureError(
      BadField(Reason::kPayloadSizeMismatch, std::move(field), std::move(got), std::move(allowed)));
}

// One fp32 from the bytes at `source`, which need not be aligned.
struct ReadF32 {
  float operator()(const std::byte* source) const {
    float value;
    std::memcpy(&value, source, sizeof(value));
    return value;
  }
};

template <float (*kWiden)(std::uint16_t)>
struct Read16 {
  float operator()(const std::byte* source) const {
    std::uint16_t bits;
    std::memcpy(&bits, source, sizeof(bits));
    return kWiden(bits);
  }
};

// Converts the `count` elements of one plane. False where one of them is not finite; all are
// written in any case, so that the loop has no way out and vectorises.
template <typename Read>
bool ConvertPlane(const std::byte* source, std::int64_t count, float* out, Read read,
                  std::int64_t element_bytes) {
  std::uint32_t largest = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    out[i] = read(source + i * element_bytes);
    const std::uint32_t magnitude = std::bit_cast<std::uint32_t>(out[i]) & 0x7fffffffu;
    largest = magnitude > largest ? magnitude : largest;
  }
  return largest < 0x7f800000u;  // the exponent of infinities and NaNs
}

bool ConvertPlane(LatentDtype dtype, const std::byte* source, std::int64_t count, float* out) {
  switch (dtype) {
    case LatentDtype::kF32:
      return ConvertPlane(source, count, out, ReadF32{}, 4);
    case LatentDtype::kF16:
      return ConvertPlane(source, count, out, Read16<HalfToFloat>{}, 2);
    case LatentDtype::kBF16:
      return ConvertPlane(source, count, out, Read16<Bfloat16ToFloat>{}, 2);
  }
  throw std::invalid_argument("latent dtype: not a value of LatentDtype");
}

// `plane`: [height, width], holds a value that is not finite.
[[noreturn]] void ThrowNonFinite(std::span<const float> plane, int latent, int channel, int width) {
  std::size_t at = 0;
  while (std::isfinite(plane[at])) ++at;
  const std::string got = std::isnan(plane[at]) ? "nan" : plane[at] > 0 ? "inf" : "-inf";
  const std::size_t row = at / static_cast<std::size_t>(width);
  const std::size_t column = at % static_cast<std::size_t>(width);
  throw FailureError(BadField(Reason::kNonFiniteLatent, "latents",
                              got + " at latent " + std::to_string(latent) +
                                  " of the chunk, channel " + std::to_string(channel) + ", row " +
                                  std::to_string(row) + ", column " + std::to_string(column),
                              "finite values"));
}

}  // namespace

std::int64_t DtypeBytes(LatentDtype dtype) { return dtype == LatentDtype::kF32 ? 4 : 2; }

std::int64_t ChunkBytes(const LatentShape& shape, LatentDtype dtype) {
  std::int64_t bytes = DtypeBytes(dtype);
  for (const int extent : {shape.channels, shape.latents, shape.height, shape.width}) {
    if (extent <= 0) ThrowSizeMismatch("latent shape", ToString(shape), "positive extents");
    if (bytes > std::numeric_limits<std::int64_t>::max() / extent) {
      ThrowSizeMismatch("latent shape", ToString(shape), "fewer than 2^63 bytes");
    }
    bytes *= extent;
  }
  return bytes;
}

void ConvertLatent(std::span<const std::byte> payload, const LatentFormat& format,
                   const LatentShape& shape, int index, std::span<float> out) {
  const std::int64_t chunk_bytes = ChunkBytes(shape, format.dtype);
  if (payload.size() != static_cast<std::size_t>(chunk_bytes)) {
    ThrowSizeMismatch("latents", std::to_string(payload.size()) + " bytes",
                      std::to_string(chunk_bytes) + " bytes (" + ToString(shape) + ")");
  }
  if (index < 0 || index >= shape.latents) {
    ThrowSizeMismatch("latent index", std::to_string(index),
                      "0.." + std::to_string(shape.latents - 1));
  }
  const std::int64_t plane = static_cast<std::int64_t>(shape.height) * shape.width;
  if (out.size() != static_cast<std::size_t>(shape.channels * plane)) {
    ThrowSizeMismatch("values of one latent", std::to_string(out.size()),
                      std::to_string(shape.channels * plane));
  }
  const bool is_cthw = format.axes == LatentAxes::kCthw;
  for (int channel = 0; channel < shape.channels; ++channel) {
    const std::int64_t source = is_cthw
                                    ? (static_cast<std::int64_t>(channel) * shape.latents + index)
                                    : (static_cast<std::int64_t>(index) * shape.channels + channel);
    const std::span<float> out_plane = out.subspan(channel * plane, plane);
    if (!ConvertPlane(format.dtype, payload.data() + source * plane * DtypeBytes(format.dtype),
                      plane, out_plane.data())) {
      ThrowNonFinite(out_plane, index, channel, shape.width);
    }
  }
}

}  // namespace causeway::decoder
