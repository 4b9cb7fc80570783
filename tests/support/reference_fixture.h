// SPDX-License-Identifier: Apache-2.0
// A tiny random model on the reference backend, for tests that drive sessions step by step.
#pragma once

#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include <ATen/ATen.h>

#include "server/decoder/backends/reference/reference_session.h"
#include "server/decoder/models/wan21/graph.h"
#include "tests/support/oracle_decoder.h"
#include "tests/support/random_model.h"

namespace causeway::test {

/// The frames of one latent, [count, 3, height, width].
struct Frames {
  int count = 0;
  int height = 0;
  int width = 0;
  std::vector<float> values;

  float At(int f, int c, int y, int x) const {
    return values[static_cast<std::size_t>(((f * 3 + c) * height + y) * width + x)];
  }
  /// Bit for bit: a NaN equals itself.
  bool operator==(const Frames& other) const {
    return count == other.count && values.size() == other.values.size() &&
           std::memcmp(values.data(), other.values.data(), values.size() * sizeof(float)) == 0;
  }
};

class ReferenceFixture {
 public:
  using Session = decoder::reference::ReferenceSession;
  using Latents = std::vector<std::vector<float>>;

  ReferenceFixture(int base_width, decoder::Geometry geometry)
      : ReferenceFixture(TinyConfig(base_width), geometry,
                         RandomWeights(TinyConfig(base_width), 1)) {}

  ReferenceFixture(decoder::ModelConfig config, decoder::Geometry geometry,
                   decoder::ReadWeight read)
      : config_(std::move(config)),
        read_(std::move(read)),
        plan_(std::make_shared<decoder::Plan>(decoder::wan21::BuildGraph(config_, geometry))),
        weights_(config_, *plan_, read_, at::TensorOptions().dtype(at::kFloat)) {}

  const decoder::ModelConfig& config() const { return config_; }
  const decoder::Plan& plan() const { return *plan_; }
  const decoder::ReadWeight& read() const { return read_; }

  std::unique_ptr<Session> Open() const { return std::make_unique<Session>(weights_, plan_); }

  std::vector<std::vector<float>> RandomLatents(int count, std::uint64_t seed) const {
    return test::RandomLatents(config_, plan_->geometry.height / 8, plan_->geometry.width / 8,
                               count, seed);
  }

  Frames DecodeNext(Session& session, const std::vector<float>& latent, decoder::Phase phase,
                    decoder::LatentDomain domain = decoder::LatentDomain::kNormalised) const {
    Frames frames;
    frames.count = plan_->program(phase).steps.back().output.frames;
    frames.height = plan_->geometry.height;
    frames.width = plan_->geometry.width;
    frames.values.assign(static_cast<std::size_t>(frames.count * 3 * frames.height * frames.width),
                         std::numeric_limits<float>::quiet_NaN());
    decoder::StepTimes times;
    session.Decode(phase, domain, latent, frames.values, times);
    return frames;
  }

  /// A whole stream from its first latent on.
  std::vector<Frames> DecodeAll(
      Session& session, const Latents& latents,
      decoder::LatentDomain domain = decoder::LatentDomain::kNormalised) const {
    std::vector<Frames> decoded;
    for (const auto& latent : latents) {
      decoded.push_back(DecodeNext(
          session, latent,
          decoded.empty() ? decoder::Phase::kFirstLatent : decoder::Phase::kLaterLatent, domain));
    }
    return decoded;
  }

  /// The same stream, normalised latents, by the oracle.
  oracle::Activation OracleDecode(const Latents& latents) const {
    const int height = plan_->geometry.height / 8;
    const int width = plan_->geometry.width / 8;
    oracle::Activation x(static_cast<int>(latents.size()), height, width, config_.latent_channels);
    for (int f = 0; f < x.frames; ++f) {
      for (int c = 0; c < x.channels; ++c) {
        const auto channel = static_cast<std::size_t>(c);
        for (int position = 0; position < height * width; ++position) {
          const double z = latents[static_cast<std::size_t>(f)]
                                  [static_cast<std::size_t>(c * height * width + position)];
          x.At(f, position / width, position % width, c) =
              z * config_.latents_std[channel] + config_.latents_mean[channel];
        }
      }
    }
    return oracle::Decode(config_, read_, x);
  }

 private:
  decoder::ModelConfig config_;
  decoder::ReadWeight read_;
  std::shared_ptr<const decoder::Plan> plan_;
  decoder::reference::ReferenceWeights weights_;
};

}  // namespace causeway::test
