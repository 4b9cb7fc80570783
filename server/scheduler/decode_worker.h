// SPDX-License-Identifier: Apache-2.0
// What sessions see of the decoder: loaded models, and streams of latents decoded one at a time.
// No function here throws: faults come back as Failure values. Tests put a fake in its place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "server/base/result.h"
#include "server/decoder/decoder.h"
#include "server/decoder/types.h"
#include "server/frame/pixel_format.h"

namespace causeway {

/// What a stream declares about itself when it opens.
struct StreamSpec {
  std::string model;
  decoder::Geometry geometry;
  decoder::LatentFormat latent_format;
  frame::PixelFormat pixel_format = frame::PixelFormat::kRgb24;
};

/// What follows from a StreamSpec.
struct StreamFacts {
  std::int64_t state_bytes = 0;  // cache held from Opened to the end of the stream
  int latent_channels = 0;
  std::int64_t latent_bytes = 0;  // of one latent as it arrives
  std::int64_t frame_bytes = 0;   // of one frame as it leaves
  int first_latent_frames = 1;    // frames from the first latent
  int per_latent_frames = 4;      // frames from every other
  std::string backend;            // for people
  int replay_latents = 0;         // latents that rebuild a lost history
};

/// What one session of a geometry costs.
struct GeometryCost {
  decoder::Geometry geometry;
  std::int64_t state_bytes = 0;       // as StreamFacts::state_bytes
  std::int64_t flops_per_latent = 0;  // of every latent but the first: multiply-adds, times 2
};

/// A model, whatever stream it is used for.
struct ModelFacts {
  std::string family;  // the decoder's graph, for example "wan21"
  int base_width = 0;
  int latent_channels = 0;
  int first_latent_frames = 1;
  int per_latent_frames = 4;
  std::string backend;                   // for people
  std::vector<GeometryCost> geometries;  // those that are allowed; empty: any
  int replay_latents = 0;                // to send again to rebuild a lost session
};

/// One stream of latents with its cache. Used by one thread at a time; the cache goes with it.
class LatentStream {
 public:
  virtual ~LatentStream() = default;

  /// Decodes the next latent, [C, h, w] fp32 as UnpackChunk made it. After a failure the stream
  /// cannot go on.
  virtual Result<decoder::DecodedLatent> DecodeLatent(std::span<const float> latent) = 0;

  /// Forgets all history: afterwards the stream equals a new one.
  virtual Result<std::monostate> Reset() = 0;
};

/// The models of this server. Thread-safe.
class DecodeWorker {
 public:
  virtual ~DecodeWorker() = default;

  /// In the order in which they were configured.
  virtual const std::vector<std::string>& model_names() const = 0;

  /// Fails with kUnknownModel.
  virtual Result<ModelFacts> DescribeModel(const std::string& name) const = 0;

  /// Touches no memory of the device. Fails with kUnknownModel or kBadGeometry.
  virtual Result<StreamFacts> Describe(const StreamSpec& spec) const = 0;

  /// All latents of a chunk, [latents][C, h, w] fp32. `payload`: latents * latent_bytes bytes in
  /// the spec's format. Fails with kNonFiniteLatent or kPayloadSizeMismatch.
  virtual Result<std::vector<float>> UnpackChunk(const StreamSpec& spec,
                                                 std::span<const std::byte> payload,
                                                 int latents) const = 0;

  /// Allocates the cache. The stream must not outlive this worker.
  virtual Result<std::unique_ptr<LatentStream>> OpenStream(const StreamSpec& spec) = 0;
};

}  // namespace causeway
