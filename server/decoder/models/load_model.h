// SPDX-License-Identifier: Apache-2.0
// From a path on disk to a model: its configuration and weights that have been checked against it.
#pragma once

#include <string>

#include "server/decoder/models/model_config.h"
#include "server/decoder/weights/weight_store.h"

namespace causeway::decoder {

struct LoadedModel {
  ModelConfig config;
  WeightStore weights;  // exactly the tensors of the family's list_weights(config), all finite
};

/// `path` is one of
///   a diffusers folder: config.json and diffusion_pytorch_model.safetensors;
///   a file in the original naming (Wan2.1_VAE), which needs no configuration;
///   a file in diffusers' naming, with its config.json beside it.
/// A file is a safetensors file or a PyTorch checkpoint (.pth), by its content.
/// The weights stay in the mapped file. Throws FileError, one line: what is wrong and what is
/// allowed.
LoadedModel LoadModel(const std::string& path);

}  // namespace causeway::decoder
