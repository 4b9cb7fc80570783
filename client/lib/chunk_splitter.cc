// SPDX-License-Identifier: Apache-2.0
#include "client/lib/chunk_splitter.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "server/base/crc32c.h"

namespace causeway::client {
namespace {

// Latents [first, first + count) of a payload of `all` latents.
std::string Part(const std::string& payload, std::int32_t all, std::int32_t first,
                 std::int32_t count, std::int32_t channels, v1::Axes axes) {
  const auto latents = static_cast<std::size_t>(all);
  const auto from = static_cast<std::size_t>(first);
  const auto taken = static_cast<std::size_t>(count);
  const std::size_t latent_bytes = payload.size() / latents;
  if (axes == v1::AXES_TCHW) return payload.substr(from * latent_bytes, taken * latent_bytes);
  const auto planes = static_cast<std::size_t>(channels);
  const std::size_t plane_bytes = latent_bytes / planes;
  std::string part;
  part.reserve(taken * latent_bytes);
  for (std::size_t c = 0; c < planes; ++c) {
    part.append(payload, (c * latents + from) * plane_bytes, taken * plane_bytes);
  }
  return part;
}

std::int64_t Ticks(std::int64_t frames, const v1::Timing& timing) {
  const double ticks_per_frame =
      timing.target_fps() > 0 && timing.timebase_num() > 0
          ? timing.timebase_den() / (timing.timebase_num() * timing.target_fps())
          : 0;
  return std::llround(static_cast<double>(frames) * ticks_per_frame);
}

}  // namespace

std::vector<Latents> SplitLatents(Latents latents, std::int32_t most, std::int32_t channels,
                                  v1::Axes axes, const v1::FrameRule& rule, bool is_first,
                                  const v1::Timing& timing) {
  std::vector<Latents> parts;
  if (latents.count <= most) {
    parts.push_back(std::move(latents));
    return parts;
  }
  const std::int64_t shortfall =
      is_first ? rule.per_latent_frames() - rule.first_latent_frames() : 0;
  for (std::int32_t first = 0; first < latents.count; first += most) {
    const std::int32_t count = std::min(most, latents.count - first);
    const std::int64_t frames =
        first == 0 ? 0 : std::int64_t{first} * rule.per_latent_frames() - shortfall;
    parts.push_back({count, Part(latents.payload, latents.count, first, count, channels, axes),
                     latents.pts + Ticks(frames, timing), latents.deadline_us});
  }
  return parts;
}

std::vector<v1::LatentChunk> ChunkMessages(std::uint64_t chunk_seq, Latents latents,
                                           std::int64_t max_payload_bytes, bool with_crc32c) {
  const auto most = static_cast<std::size_t>(max_payload_bytes);
  const std::size_t count = (latents.payload.size() + most - 1) / most;
  std::vector<v1::LatentChunk> messages(std::max<std::size_t>(count, 1));
  v1::LatentChunk& first = messages.front();
  first.set_latents(latents.count);
  first.set_pts(latents.pts);
  first.set_deadline_us(latents.deadline_us);
  for (std::size_t i = 0; i < messages.size(); ++i) {
    v1::LatentChunk& message = messages[i];
    message.set_chunk_seq(chunk_seq);
    if (count > 1) {
      message.mutable_fragment()->set_index(static_cast<std::int32_t>(i));
      message.mutable_fragment()->set_count(static_cast<std::int32_t>(count));
      message.set_payload(latents.payload.substr(i * most, most));
    } else {
      message.set_payload(std::move(latents.payload));
    }
    if (with_crc32c) message.set_crc32c(Crc32c(std::as_bytes(std::span(message.payload()))));
  }
  return messages;
}

}  // namespace causeway::client
