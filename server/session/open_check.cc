// SPDX-License-Identifier: Apache-2.0
#include "server/session/open_check.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>

#include "server/scheduler/unknown_model.h"

namespace causeway {
namespace {

std::string Range(int low, int high) {
  return "from " + std::to_string(low) + " to " + std::to_string(high);
}

std::optional<Failure> CheckExtent(const char* field, int extent) {
  if (extent >= kMinExtent && extent <= kMaxExtent && extent % kMinExtent == 0) return std::nullopt;
  return BadField(
      Reason::kBadGeometry, field, std::to_string(extent),
      "a multiple of " + std::to_string(kMinExtent) + " " + Range(kMinExtent, kMaxExtent));
}

std::optional<Failure> CheckTiming(const TimingRequest& timing) {
  if (timing.timebase_num < 0 || timing.timebase_den < 0 ||
      (timing.timebase_num == 0) != (timing.timebase_den == 0)) {
    return BadField(
        Reason::kBadOption, "timing.timebase",
        std::to_string(timing.timebase_num) + " / " + std::to_string(timing.timebase_den),
        "two positive numbers, or 0 / 0 for none");
  }
  const double fps = timing.target_fps;
  if (fps != 0 && !(fps >= kMinFps && fps <= kMaxFps)) {
    return BadField(Reason::kBadOption, "timing.target_fps", std::to_string(fps),
                    "0, or from 0.01 to 1000");
  }
  if (timing.max_lateness_ms < 0) {
    return BadField(Reason::kBadOption, "timing.max_lateness_ms",
                    std::to_string(timing.max_lateness_ms), "0 or more");
  }
  return std::nullopt;
}

std::optional<Failure> CheckDelivery(const DeliveryRequest& delivery) {
  const int credits = delivery.initial_frame_credits;
  if (credits >= 0 && credits <= kMaxFrameCredits) return std::nullopt;
  return BadField(Reason::kBadOption, "delivery.initial_frame_credits", std::to_string(credits),
                  Range(0, kMaxFrameCredits));
}

std::optional<Failure> CheckFields(const OpenRequest& request, const DecodeWorker& worker) {
  const std::vector<std::string>& models = worker.model_names();
  if (std::find(models.begin(), models.end(), request.spec.model) == models.end()) {
    return UnknownModel(request.spec.model, models);
  }
  const decoder::Geometry& geometry = request.spec.geometry;
  if (auto failure = CheckExtent("geometry.height", geometry.height)) return failure;
  if (auto failure = CheckExtent("geometry.width", geometry.width)) return failure;

  const int fragment_bytes = request.fragment_bytes;
  if (fragment_bytes != 0 &&
      (fragment_bytes < kMinFragmentBytes || fragment_bytes > kMaxFragmentBytes)) {
    return BadField(Reason::kBadOption, "output.fragment_bytes", std::to_string(fragment_bytes),
                    "0, or " + Range(kMinFragmentBytes, kMaxFragmentBytes));
  }
  if (request.client_ref.size() > kMaxClientRefBytes) {
    return BadField(Reason::kBadOption, "client_ref",
                    std::to_string(request.client_ref.size()) + " bytes",
                    "at most " + std::to_string(kMaxClientRefBytes) + " bytes");
  }
  if (auto failure = CheckTiming(request.timing)) return failure;
  return request.delivery ? CheckDelivery(*request.delivery) : std::nullopt;
}

}  // namespace

Result<OpenTerms> CheckOpen(const OpenRequest& request, const DecodeWorker& worker,
                            int max_message_bytes) {
  if (auto failure = CheckFields(request, worker)) return *failure;
  Result<StreamFacts> facts = worker.Describe(request.spec);
  if (!facts.ok()) return facts.failure();

  OpenTerms terms;
  terms.facts = std::move(facts.value());
  if (request.fragment_bytes != 0) terms.fragment_bytes = request.fragment_bytes;
  if (request.delivery) {
    const int credits = request.delivery->initial_frame_credits;
    terms.frame_credits = credits == 0 ? kDefaultFrameCredits : credits;
  }
  const std::int64_t payload_bytes = max_message_bytes - kChunkHeaderBytes;
  terms.max_chunk_latents = static_cast<int>(payload_bytes / terms.facts.latent_bytes);
  if (terms.max_chunk_latents < 1) {
    return BadField(Reason::kBadGeometry, "geometry",
                    std::to_string(request.spec.geometry.height) + "x" +
                        std::to_string(request.spec.geometry.width) + ", a latent of " +
                        std::to_string(terms.facts.latent_bytes) + " bytes",
                    "a latent of at most " + std::to_string(payload_bytes) + " bytes");
  }
  return terms;
}

}  // namespace causeway
