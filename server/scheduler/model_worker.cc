// SPDX-License-Identifier: Apache-2.0
#include "server/scheduler/model_worker.h"

#include <algorithm>
#include <utility>

#include <malloc.h>

#include "server/decoder/latent.h"
#include "server/decoder/models/model_config.h"
#include "server/scheduler/catch_failure.h"
#include "server/scheduler/unknown_model.h"

namespace causeway {
namespace {

class DecoderStream : public LatentStream {
 public:
  explicit DecoderStream(std::unique_ptr<decoder::DecodeSession> session)
      : session_(std::move(session)) {}

  // The allocator keeps what a session leaves; with sessions that come and go on many threads that
  // would look like a leak, and be one to whoever shares the machine.
  ~DecoderStream() override {
    session_.reset();
    malloc_trim(0);
  }
  DecoderStream(const DecoderStream&) = delete;
  DecoderStream& operator=(const DecoderStream&) = delete;

  Result<decoder::DecodedLatent> DecodeLatent(std::span<const float> latent) override {
    return CatchFailure([&] { return session_->DecodeLatent(latent); });
  }

  Result<std::monostate> Reset() override {
    return CatchFailure([&] {
      session_->Reset();
      return std::monostate{};
    });
  }

 private:
  std::unique_ptr<decoder::DecodeSession> session_;
};

decoder::LatentShape ChunkShape(const StreamSpec& spec, int channels, int latents) {
  return {.channels = channels,
          .latents = latents,
          .height = spec.geometry.height / 8,
          .width = spec.geometry.width / 8};
}

}  // namespace

void ModelWorker::Load(const std::string& name, const decoder::DecoderOptions& options) {
  decoders_.emplace(name, std::make_unique<decoder::Decoder>(options));
  names_.push_back(name);
}

Result<ModelFacts> ModelWorker::DescribeModel(const std::string& name) const {
  return CatchFailure([&] {
    const decoder::Decoder& decoder = Find(name);
    ModelFacts facts;
    facts.family = decoder.config().family;
    facts.base_width = decoder.config().base_width;
    facts.latent_channels = decoder.config().latent_channels;
    facts.first_latent_frames = decoder::kFirstLatentFrames;
    facts.per_latent_frames = decoder::kPerLatentFrames;
    facts.backend = decoder.backend_name();
    for (const decoder::Geometry& geometry : allowed_geometries_) {
      facts.geometries.push_back(
          {geometry, decoder.SessionStateBytes(geometry), decoder.LatentFlops(geometry)});
    }
    facts.replay_latents = decoder.ReplayLatents();
    return facts;
  });
}

Result<StreamFacts> ModelWorker::Describe(const StreamSpec& spec) const {
  return CatchFailure([&] {
    const decoder::Decoder& decoder = Find(spec.model);
    CheckAllowed(spec.geometry);
    StreamFacts facts;
    facts.state_bytes = decoder.SessionStateBytes(spec.geometry);
    facts.latent_channels = decoder.config().latent_channels;
    facts.latent_bytes =
        decoder::ChunkBytes(ChunkShape(spec, facts.latent_channels, 1), spec.latent_format.dtype);
    facts.frame_bytes =
        frame::FrameBytes(spec.pixel_format, spec.geometry.height, spec.geometry.width);
    facts.first_latent_frames = decoder::kFirstLatentFrames;
    facts.per_latent_frames = decoder::kPerLatentFrames;
    facts.backend = decoder.backend_name();
    facts.replay_latents = decoder.ReplayLatents();
    return facts;
  });
}

Result<std::vector<float>> ModelWorker::UnpackChunk(const StreamSpec& spec,
                                                    std::span<const std::byte> payload,
                                                    int latents) const {
  return CatchFailure([&] {
    const decoder::LatentShape shape =
        ChunkShape(spec, Find(spec.model).config().latent_channels, latents);
    const std::size_t elements =
        static_cast<std::size_t>(shape.channels) * shape.height * shape.width;
    std::vector<float> unpacked(elements * latents);
    for (int index = 0; index < latents; ++index) {
      decoder::ConvertLatent(payload, spec.latent_format, shape, index,
                             std::span(unpacked).subspan(elements * index, elements));
    }
    return unpacked;
  });
}

Result<std::unique_ptr<LatentStream>> ModelWorker::OpenStream(const StreamSpec& spec) {
  return CatchFailure([&]() -> std::unique_ptr<LatentStream> {
    return std::make_unique<DecoderStream>(Find(spec.model)
                                               .OpenSession({.geometry = spec.geometry,
                                                             .domain = spec.latent_format.domain,
                                                             .format = spec.pixel_format}));
  });
}

const decoder::Decoder& ModelWorker::Find(const std::string& name) const {
  const auto found = decoders_.find(name);
  if (found == decoders_.end()) throw FailureError(UnknownModel(name, names_));
  return *found->second;
}

void ModelWorker::CheckAllowed(const decoder::Geometry& geometry) const {
  if (allowed_geometries_.empty() ||
      std::find(allowed_geometries_.begin(), allowed_geometries_.end(), geometry) !=
          allowed_geometries_.end()) {
    return;
  }
  std::string allowed;
  for (const decoder::Geometry& each : allowed_geometries_) {
    if (!allowed.empty()) allowed += ", ";
    allowed += decoder::ToString(each);
  }
  throw FailureError(
      BadField(Reason::kBadGeometry, "geometry", decoder::ToString(geometry), allowed));
}

}  // namespace causeway
