// SPDX-License-Identifier: Apache-2.0
// The decoder as its callers see it: a loaded model, and sessions that turn latents into frames.
// No LibTorch, no gRPC. Errors: everything here throws (FailureError for what a caller supplied,
// FileError for files, anything else for faults of the decoder).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "server/decoder/step_times.h"
#include "server/decoder/types.h"
#include "server/frame/pixel_format.h"

namespace causeway::decoder {

class Backend;
class BackendSession;
struct ModelConfig;

struct DecoderOptions {
  std::string model_path;             // a diffusers folder, or an original Wan file (safetensors)
  std::string backend = "reference";  // one of BackendNames() (backends/backend_table.h)
  int threads = 0;                    // CPU threads inside one operation; 0: one a core
};

/// Frames that the first latent of a session gives, and every other.
inline constexpr int kFirstLatentFrames = 1;
inline constexpr int kPerLatentFrames = 4;

/// What a session is opened with.
struct SessionOptions {
  Geometry geometry;
  LatentDomain domain = LatentDomain::kNormalised;
  frame::PixelFormat format = frame::PixelFormat::kRgb24;
};

/// The frames that one latent gave.
struct DecodedLatent {
  int frame_count = 0;            // kFirstLatentFrames or kPerLatentFrames
  std::int64_t frame_bytes = 0;   // of one frame
  std::vector<std::byte> pixels;  // frame_count frames, one after the other, in the pixel format
  StepTimes times;
};

/// One stream of latents and the causal cache that belongs to it. Not thread-safe; different
/// sessions of one Decoder may be used from different threads. Must not outlive its Decoder.
/// Releases its cache when destroyed.
class DecodeSession {
 public:
  ~DecodeSession();
  DecodeSession(const DecodeSession&) = delete;
  DecodeSession& operator=(const DecodeSession&) = delete;

  /// Decodes the next latent. `latent`: [C, h, w] fp32, contiguous, in the session's domain, with
  /// h = height / 8 and w = width / 8; every value finite (ConvertLatent sees to it). The caller
  /// keeps it. Where this throws before the backend ran (a size that does not fit, a value that is
  /// not finite) the state is untouched; after any other exception (among them
  /// FailureError(kNumericFault): the decoder made a NaN or infinity) the session only accepts
  /// Reset(): its cache may have advanced half way.
  DecodedLatent DecodeLatent(std::span<const float> latent);

  /// Forgets all history: afterwards the session equals a new one, bit for bit.
  void Reset();

  /// Latents decoded since the session was opened or reset.
  std::int64_t latents_decoded() const { return latents_decoded_; }

  const SessionOptions& options() const { return options_; }

 private:
  friend class Decoder;
  DecodeSession(std::unique_ptr<BackendSession> backend, const ModelConfig& config,
                const SessionOptions& options);

  std::unique_ptr<BackendSession> backend_;
  const ModelConfig& config_;
  SessionOptions options_;
  std::int64_t latents_decoded_ = 0;
  bool is_broken_ = false;
};

/// A model on a backend. Immutable after construction and thread-safe.
class Decoder {
 public:
  /// Loads and checks the weights, and prepares them for the backend.
  explicit Decoder(const DecoderOptions& options);
  ~Decoder();
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  const ModelConfig& config() const { return *config_; }
  const std::string& backend_name() const { return backend_name_; }

  /// Bytes of cache that one session of this geometry holds from OpenSession to its end.
  /// Throws FailureError(kBadGeometry) as OpenSession does.
  std::int64_t SessionStateBytes(const Geometry& geometry) const;

  /// Operations of one later latent of this geometry: multiply-adds, times 2. Throws as
  /// SessionStateBytes does.
  std::int64_t LatentFlops(const Geometry& geometry) const;

  /// How many latents before a latent its frames depend on: after a replay of that many, a new
  /// session gives the frames of the one that was lost.
  int ReplayLatents() const;

  /// Throws FailureError(kBadGeometry) unless height and width are multiples of 8 in 8..8192.
  std::unique_ptr<DecodeSession> OpenSession(const SessionOptions& options) const;

 private:
  std::unique_ptr<ModelConfig> config_;
  std::string backend_name_;
  std::unique_ptr<Backend> backend_;
};

}  // namespace causeway::decoder
