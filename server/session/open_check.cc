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
  return std::nullopt;
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
