// SPDX-License-Identifier: Apache-2.0
// The DecodeWorker of the real server: named models on one backend.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "server/scheduler/decode_worker.h"

namespace causeway {

class ModelWorker : public DecodeWorker {
 public:
  /// Streams of other geometries are refused with kBadGeometry. None given: any is allowed.
  explicit ModelWorker(std::vector<decoder::Geometry> allowed_geometries = {})
      : allowed_geometries_(std::move(allowed_geometries)) {}

  /// Loads a model. Throws as Decoder's constructor does. Only before the worker is shared.
  void Load(const std::string& name, const decoder::DecoderOptions& options);

  const std::vector<std::string>& model_names() const override { return names_; }
  Result<ModelFacts> DescribeModel(const std::string& name) const override;
  Result<StreamFacts> Describe(const StreamSpec& spec) const override;
  Result<std::vector<float>> UnpackChunk(const StreamSpec& spec, std::span<const std::byte> payload,
                                         int latents) const override;
  Result<std::unique_ptr<LatentStream>> OpenStream(const StreamSpec& spec) override;

 private:
  /// Throws FailureError(kUnknownModel).
  const decoder::Decoder& Find(const std::string& name) const;
  /// Throws FailureError(kBadGeometry) with those that are allowed.
  void CheckAllowed(const decoder::Geometry& geometry) const;

  const std::vector<decoder::Geometry> allowed_geometries_;
  std::vector<std::string> names_;
  std::map<std::string, std::unique_ptr<decoder::Decoder>> decoders_;
};

}  // namespace causeway
