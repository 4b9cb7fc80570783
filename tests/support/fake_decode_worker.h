// SPDX-License-Identifier: Apache-2.0
// A DecodeWorker without a decoder: frames are a checksum of all latents so far, so that order,
// loss and mix-ups between streams show. Decoding can be held at a gate and made to fail.
#pragma once

#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "server/scheduler/decode_worker.h"
#include "server/scheduler/unknown_model.h"

namespace causeway::testing {

inline constexpr std::chrono::seconds kDeadline{20};  // far beyond anything a test waits for

/// Steps pass only while the gate is open or permits are left.
class Gate {
 public:
  void Close() {
    const std::lock_guard lock(mutex_);
    is_open_ = false;
  }
  void Open() {
    const std::lock_guard lock(mutex_);
    is_open_ = true;
    changed_.notify_all();
  }
  void Permit(int steps) {
    const std::lock_guard lock(mutex_);
    permits_ += steps;
    changed_.notify_all();
  }
  /// Called by the step.
  void Pass() {
    std::unique_lock lock(mutex_);
    ++arrived_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return is_open_ || permits_ > 0; });
    if (!is_open_) --permits_;
  }
  /// Whether `steps` steps came to the gate in all, within the deadline.
  bool WaitForArrivals(int steps) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kDeadline, [&] { return arrived_ >= steps; });
  }
  int arrivals() {
    const std::lock_guard lock(mutex_);
    return arrived_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_open_ = true;
  int permits_ = 0;
  int arrived_ = 0;
};

/// What the fake makes of the latents so far.
class FakeHistory {
 public:
  void Add(std::span<const float> latent) {
    for (const float value : latent)
      hash_ = (hash_ ^ std::bit_cast<std::uint32_t>(value)) * 0x100000001b3u;
  }
  /// Frame `index` of the newest latent.
  std::vector<std::byte> Frame(int index, std::int64_t bytes) const {
    std::vector<std::byte> frame(static_cast<std::size_t>(bytes));
    std::uint64_t state = hash_ + static_cast<std::uint64_t>(index);
    for (std::byte& value : frame) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      value = static_cast<std::byte>(state >> 56);
    }
    return frame;
  }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325u;
};

class FakeDecodeWorker : public DecodeWorker {
 public:
  static constexpr int kChannels = 4;
  static constexpr int kReplayLatents = 38;

  Gate gate;
  std::int64_t state_bytes = 1000;
  std::atomic<int> fail_at_latent{-1};  // of a stream, 0-based; -1: never
  std::atomic<bool> fails_to_open{false};
  std::atomic<int> open_streams{0};
  std::atomic<int> most_running{0};  // steps at the same time

  const std::vector<std::string>& model_names() const override { return names_; }

  Result<ModelFacts> DescribeModel(const std::string& name) const override {
    if (name != names_[0] && name != names_[1]) return UnknownModel(name, names_);
    ModelFacts facts;
    facts.family = "none";
    facts.base_width = 1;
    facts.latent_channels = kChannels;
    facts.backend = "fake";
    facts.geometries = {{{.height = 64, .width = 128}, state_bytes, 12'345}};
    facts.replay_latents = kReplayLatents;
    return facts;
  }

  Result<StreamFacts> Describe(const StreamSpec& spec) const override {
    if (spec.model != names_[0] && spec.model != names_[1]) return UnknownModel(spec.model, names_);
    StreamFacts facts;
    facts.state_bytes = state_bytes;
    facts.latent_channels = kChannels;
    facts.latent_bytes = LatentElements(spec) * 4;
    facts.frame_bytes = std::int64_t{3} * spec.geometry.height * spec.geometry.width;
    facts.backend = "fake";
    facts.replay_latents = kReplayLatents;
    return facts;
  }

  /// Takes fp32 in the order T, C, h, w, whatever the format says.
  Result<std::vector<float>> UnpackChunk(const StreamSpec& spec, std::span<const std::byte> payload,
                                         int latents) const override {
    std::vector<float> elements(static_cast<std::size_t>(LatentElements(spec) * latents));
    if (payload.size() != elements.size() * sizeof(float)) {
      return BadField(Reason::kPayloadSizeMismatch, "payload", "another size", "this size");
    }
    std::memcpy(elements.data(), payload.data(), payload.size());
    for (const float element : elements) {
      if (!std::isfinite(element)) {
        return BadField(Reason::kNonFiniteLatent, "payload", "nan", "finite values");
      }
    }
    return elements;
  }

  Result<std::unique_ptr<LatentStream>> OpenStream(const StreamSpec& spec) override {
    if (fails_to_open) return Failure{Reason::kInternalBug, "no memory", "", "", ""};
    return std::unique_ptr<LatentStream>(
        std::make_unique<FakeStream>(*this, Describe(spec).value().frame_bytes));
  }

  static std::int64_t LatentElements(const StreamSpec& spec) {
    return std::int64_t{kChannels} * (spec.geometry.height / 8) * (spec.geometry.width / 8);
  }

 private:
  class FakeStream : public LatentStream {
   public:
    FakeStream(FakeDecodeWorker& worker, std::int64_t frame_bytes)
        : worker_(worker), frame_bytes_(frame_bytes) {
      ++worker_.open_streams;
    }
    ~FakeStream() override { --worker_.open_streams; }

    Result<decoder::DecodedLatent> DecodeLatent(std::span<const float> latent) override {
      const int running = ++worker_.running_;
      int most = worker_.most_running;
      while (most < running && !worker_.most_running.compare_exchange_weak(most, running)) {
      }
      worker_.gate.Pass();
      --worker_.running_;
      if (latents_ == worker_.fail_at_latent) {
        return Failure{Reason::kInternalBug, "the fake was told to fail", "", "", ""};
      }
      history_.Add(latent);
      decoder::DecodedLatent decoded;
      decoded.frame_count = latents_++ == 0 ? 1 : 4;
      decoded.frame_bytes = frame_bytes_;
      for (int index = 0; index < decoded.frame_count; ++index) {
        const std::vector<std::byte> frame = history_.Frame(index, frame_bytes_);
        decoded.pixels.insert(decoded.pixels.end(), frame.begin(), frame.end());
      }
      decoded.times.Add(decoder::Category::kConvolutionOrGemm, decoder::Block::kMid,
                        std::chrono::nanoseconds(70));
      decoded.times.Add(decoder::Category::kPostprocess, decoder::Block::kHead,
                        std::chrono::nanoseconds(30));
      decoded.times.total = std::chrono::nanoseconds(100);
      return decoded;
    }

    Result<std::monostate> Reset() override {
      history_ = {};
      latents_ = 0;
      return std::monostate{};
    }

   private:
    FakeDecodeWorker& worker_;
    std::int64_t frame_bytes_;
    FakeHistory history_;
    int latents_ = 0;
  };

  std::vector<std::string> names_{"fake", "other"};
  std::atomic<int> running_{0};
};

}  // namespace causeway::testing
