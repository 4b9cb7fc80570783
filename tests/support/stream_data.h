// SPDX-License-Identifier: Apache-2.0
// Latents for streams that are decoded by the fake, and the frames that must come of them.
#pragma once

#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "server/session/messages.h"
#include "tests/support/fake_decode_worker.h"

namespace causeway::testing {

/// 64x64 RGB24 from fp32 latents of the fake model.
inline OpenRequest ValidOpen() {
  OpenRequest request;
  request.spec.model = "fake";
  request.spec.geometry = {.height = 64, .width = 64};
  request.spec.latent_format = {decoder::LatentDtype::kF32, decoder::LatentAxes::kTchw,
                                decoder::LatentDomain::kNormalised};
  request.spec.pixel_format = frame::PixelFormat::kRgb24;
  return request;
}

/// Random latents, one after the other.
inline std::vector<float> RandomLatents(const StreamSpec& spec, int latents, unsigned seed) {
  std::mt19937 engine(seed);
  std::vector<float> values(
      static_cast<std::size_t>(FakeDecodeWorker::LatentElements(spec) * latents));
  for (float& value : values) value = static_cast<float>(engine() % 2001) / 1000.0f - 1.0f;
  return values;
}

inline std::string PayloadOf(std::span<const float> values) {
  std::string payload(values.size_bytes(), '\0');
  std::memcpy(payload.data(), values.data(), values.size_bytes());
  return payload;
}

/// Latents first .. first + count - 1 of `values` as chunk `seq`.
inline ChunkRequest ChunkOf(const StreamSpec& spec, std::uint64_t seq,
                            std::span<const float> values, int first, int count) {
  const auto elements = static_cast<std::size_t>(FakeDecodeWorker::LatentElements(spec));
  return {seq, count,
          PayloadOf(values.subspan(elements * static_cast<std::size_t>(first),
                                   elements * static_cast<std::size_t>(count)))};
}

/// All frames of a stream of these latents.
inline std::vector<std::vector<std::byte>> ExpectedFrames(const StreamSpec& spec,
                                                          std::span<const float> values) {
  const auto elements = static_cast<std::size_t>(FakeDecodeWorker::LatentElements(spec));
  const std::int64_t frame_bytes = std::int64_t{3} * spec.geometry.height * spec.geometry.width;
  FakeHistory history;
  std::vector<std::vector<std::byte>> frames;
  for (std::size_t offset = 0; offset < values.size(); offset += elements) {
    history.Add(values.subspan(offset, elements));
    for (int index = 0; index < (offset == 0 ? 1 : 4); ++index) {
      frames.push_back(history.Frame(index, frame_bytes));
    }
  }
  return frames;
}

}  // namespace causeway::testing
