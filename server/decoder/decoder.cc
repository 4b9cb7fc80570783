// SPDX-License-Identifier: Apache-2.0
#include "server/decoder/decoder.h"

#include <bit>
#include <chrono>
#include <cmath>
#include <utility>

#include "server/base/failure.h"
#include "server/decoder/backends/backend.h"
#include "server/decoder/backends/backend_table.h"
#include "server/decoder/models/load_model.h"
#include "server/decoder/models/registry.h"

namespace causeway::decoder {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kPixelsPerLatent = 8;
// 2^31 / 8192 leaves every extent of a plan within an int.
constexpr int kMaxPixels = 8192;
constexpr int kImageChannels = 3;

bool IsUsable(int pixels) {
  return pixels >= kPixelsPerLatent && pixels <= kMaxPixels && pixels % kPixelsPerLatent == 0;
}

void CheckGeometry(const Geometry& geometry) {
  if (IsUsable(geometry.height) && IsUsable(geometry.width)) return;
  throw FailureError(BadField(Reason::kBadGeometry, "geometry", ToString(geometry),
                              "height x width, each a multiple of 8 from 8 to 8192"));
}

std::size_t LatentElements(const ModelConfig& config, const Geometry& geometry) {
  return static_cast<std::size_t>(config.latent_channels) *
         static_cast<std::size_t>(geometry.height / kPixelsPerLatent) *
         static_cast<std::size_t>(geometry.width / kPixelsPerLatent);
}

void CheckLatent(const ModelConfig& config, const Geometry& geometry,
                 std::span<const float> latent) {
  const std::size_t elements = LatentElements(config, geometry);
  if (latent.size() != elements) {
    throw FailureError(BadField(Reason::kPayloadSizeMismatch, "latent",
                                std::to_string(latent.size()) + " elements",
                                std::to_string(elements)));
  }
  for (std::size_t index = 0; index < elements; ++index) {
    if (!std::isfinite(latent[index])) {
      throw FailureError(BadField(
          Reason::kNonFiniteLatent, "latent",
          std::to_string(latent[index]) + " at element " + std::to_string(index), "finite values"));
    }
  }
}

// By bits, not std::isfinite: the compiler makes a vector loop of it, which costs a tenth of
// packing.
void CheckFrames(std::span<const float> frames) {
  constexpr std::uint32_t kExponent = 0x7F800000u;
  std::uint32_t bad = 0;
  for (const float value : frames) {
    bad |=
        static_cast<std::uint32_t>((std::bit_cast<std::uint32_t>(value) & kExponent) == kExponent);
  }
  if (bad == 0) return;
  throw FailureError({Reason::kNumericFault,
                      "the decoder made a frame with a NaN or an infinity of finite latents", "",
                      "", ""});
}

}  // namespace

DecodeSession::DecodeSession(std::unique_ptr<BackendSession> backend, const ModelConfig& config,
                             const SessionOptions& options)
    : backend_(std::move(backend)), config_(config), options_(options) {}

DecodeSession::~DecodeSession() = default;

DecodedLatent DecodeSession::DecodeLatent(std::span<const float> latent) {
  if (is_broken_) throw std::logic_error("the session failed earlier and was not reset");
  CheckLatent(config_, options_.geometry, latent);

  const Geometry& geometry = options_.geometry;
  const bool is_first = latents_decoded_ == 0;
  DecodedLatent decoded;
  decoded.frame_count = is_first ? kFirstLatentFrames : kPerLatentFrames;
  decoded.frame_bytes = frame::FrameBytes(options_.format, geometry.height, geometry.width);
  const std::size_t frame_elements = static_cast<std::size_t>(kImageChannels) *
                                     static_cast<std::size_t>(geometry.height) *
                                     static_cast<std::size_t>(geometry.width);
  std::vector<float> frames(frame_elements * static_cast<std::size_t>(decoded.frame_count));

  is_broken_ = true;
  backend_->Decode(is_first ? Phase::kFirstLatent : Phase::kLaterLatent, options_.domain, latent,
                   frames, decoded.times);
  CheckFrames(frames);
  is_broken_ = false;
  ++latents_decoded_;

  const Clock::time_point start = Clock::now();
  const std::size_t frame_bytes = static_cast<std::size_t>(decoded.frame_bytes);
  decoded.pixels.resize(frame_bytes * static_cast<std::size_t>(decoded.frame_count));
  for (int index = 0; index < decoded.frame_count; ++index) {
    const std::size_t position = static_cast<std::size_t>(index);
    frame::PackFrame(
        options_.format, geometry.height, geometry.width,
        std::span<const float>(frames).subspan(position * frame_elements, frame_elements),
        std::span(decoded.pixels).subspan(position * frame_bytes, frame_bytes));
  }
  const auto packing = Clock::now() - start;
  decoded.times.Add(Category::kPostprocess, Block::kHead, packing);
  decoded.times.total += packing;
  return decoded;
}

void DecodeSession::Reset() {
  backend_->Reset();
  latents_decoded_ = 0;
  is_broken_ = false;
}

Decoder::Decoder(const DecoderOptions& options) : backend_name_(options.backend) {
  const LoadedModel model = LoadModel(options.model_path);
  config_ = std::make_unique<ModelConfig>(model.config);
  // Any geometry will do: it only tells the backend which weights there are.
  const Plan plan = BuildPlan(*config_, {kPixelsPerLatent, kPixelsPerLatent});
  backend_ = MakeBackend(options.backend, *config_, plan, options.threads,
                         [&](const std::string& name) { return model.weights.ReadFloats(name); });
}

Decoder::~Decoder() = default;

std::int64_t Decoder::SessionStateBytes(const Geometry& geometry) const {
  CheckGeometry(geometry);
  return backend_->StateBytes(BuildPlan(*config_, geometry));
}

std::int64_t Decoder::LatentFlops(const Geometry& geometry) const {
  CheckGeometry(geometry);
  return Sum(BuildPlan(*config_, geometry).later).flops;
}

int Decoder::ReplayLatents() const {
  // The same for every geometry: only the frames a latent makes count.
  return decoder::ReplayLatents(BuildPlan(*config_, {kPixelsPerLatent, kPixelsPerLatent}));
}

std::unique_ptr<DecodeSession> Decoder::OpenSession(const SessionOptions& options) const {
  CheckGeometry(options.geometry);
  auto plan = std::make_shared<const Plan>(BuildPlan(*config_, options.geometry));
  return std::unique_ptr<DecodeSession>(
      new DecodeSession(backend_->OpenSession(std::move(plan)), *config_, options));
}

}  // namespace causeway::decoder
