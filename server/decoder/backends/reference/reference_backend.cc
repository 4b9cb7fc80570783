// SPDX-License-Identifier: Apache-2.0
#include "server/decoder/backends/reference/reference_backend.h"

#include <utility>

#include <ATen/ATen.h>

#include "server/decoder/backends/reference/reference_session.h"
#include "server/decoder/backends/reference/reference_weights.h"

namespace causeway::decoder::reference {
namespace {

class ReferenceBackend : public Backend {
 public:
  ReferenceBackend(const ModelConfig& config, const Plan& plan, const ReadWeight& read)
      : weights_(config, plan, read, at::TensorOptions().dtype(at::kFloat)) {}

  std::int64_t StateBytes(const Plan& plan) const override {
    return StateElements(plan) * static_cast<std::int64_t>(weights_.options().dtype().itemsize());
  }

  std::unique_ptr<BackendSession> OpenSession(std::shared_ptr<const Plan> plan) const override {
    return std::make_unique<ReferenceSession>(weights_, std::move(plan));
  }

 private:
  ReferenceWeights weights_;
};

}  // namespace

std::unique_ptr<Backend> MakeReferenceBackend(const ModelConfig& config, const Plan& plan,
                                              const ReadWeight& read) {
  return std::make_unique<ReferenceBackend>(config, plan, read);
}

}  // namespace causeway::decoder::reference
