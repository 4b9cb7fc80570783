// SPDX-License-Identifier: Apache-2.0
// What a backend offers to the decoder: a model's weights prepared for one device, and sessions
// that execute the plan's programs on it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "server/decoder/plan/plan.h"
#include "server/decoder/step_times.h"

namespace causeway::decoder {

/// Gives a weight tensor by its diffusers name, row-major fp32. Throws where there is none.
using ReadWeight = std::function<std::vector<float>(const std::string& name)>;

/// One session's causal cache and the means to advance it. Not thread-safe.
class BackendSession {
 public:
  virtual ~BackendSession() = default;

  /// Executes one program. `latent`: [C, h, w] fp32 in `domain`. `frames`: [T, 3, H, W] fp32 in
  /// [-1, 1], T as the phase gives; every element is written. Blocks until the frames are there.
  /// After an exception the cache is undefined until Reset().
  virtual void Decode(Phase phase, LatentDomain domain, std::span<const float> latent,
                      std::span<float> frames, StepTimes& times) = 0;

  /// Sets all history to zero.
  virtual void Reset() = 0;
};

/// Immutable after construction, thread-safe; sessions of one backend are independent.
class Backend {
 public:
  virtual ~Backend() = default;

  /// Bytes of cache of one session.
  virtual std::int64_t StateBytes(const Plan& plan) const = 0;

  /// Allocates the cache. The session keeps the plan; the backend must outlive the session.
  virtual std::unique_ptr<BackendSession> OpenSession(std::shared_ptr<const Plan> plan) const = 0;
};

}  // namespace causeway::decoder
