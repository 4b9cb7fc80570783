// SPDX-License-Identifier: Apache-2.0
// A model's weights as the reference backend's operations want them, prepared once.
#pragma once

#include <map>
#include <string>

#include <ATen/core/Tensor.h>

#include "server/decoder/backends/backend.h"
#include "server/decoder/models/model_config.h"

namespace causeway::decoder::reference {

/// The tensors of one step. Which are set depends on the kind of step.
struct StepWeights {
  at::Tensor weight;        // causal and time convolutions: [Co, Ci, kt, kh, kw]; 1x1: [Co, Ci];
                            // up-convolutions: folded, [4 Co, Ci, 2, 2]. Channels innermost.
  at::Tensor newest_tap;    // causal 3x3x3 only: [Co, Ci, 3, 3], for the first latent
  at::Tensor bias;          // [Co]; four times over for up-convolutions
  at::Tensor scaled_gamma;  // [C] of the epilogue's norm, times sqrt(C)
};

class ReferenceWeights {
 public:
  /// Reads every tensor that the programs of `plan` name; the geometry does not matter.
  ReferenceWeights(const ModelConfig& config, const Plan& plan, const ReadWeight& read,
                   const at::TensorOptions& options);

  /// By the name of a step.
  const StepWeights& step(const std::string& name) const { return steps_.at(name); }

  const at::Tensor& latents_mean() const { return latents_mean_; }  // [latent channels]
  const at::Tensor& latents_std() const { return latents_std_; }    // [latent channels]
  const at::TensorOptions& options() const { return options_; }

 private:
  std::map<std::string, StepWeights> steps_;
  at::Tensor latents_mean_;
  at::Tensor latents_std_;
  at::TensorOptions options_;
};

}  // namespace causeway::decoder::reference
