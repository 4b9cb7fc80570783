// SPDX-License-Identifier: Apache-2.0
// Small model files of the Wan 2.1 graph for tests, in both namings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "server/base/safetensors_writer.h"
#include "server/base/tensor_view.h"
#include "server/decoder/models/model_config.h"

namespace causeway::test {

/// A tensor with its own bytes, free to be changed before it is written.
struct FileTensor {
  std::string name;
  TensorDtype dtype = TensorDtype::kF32;
  std::vector<std::int64_t> shape;
  std::vector<std::byte> bytes;
};

/// Every weight of the config in diffusers' naming, in F32, F16 or BF16. The values are multiples
/// of 1/64 in [-1, 1], so that each of the three types holds them exactly; they depend on the
/// name and the position only.
std::vector<FileTensor> ModelTensors(const decoder::ModelConfig& config,
                                     TensorDtype dtype = TensorDtype::kF32);

/// The original Wan name of a diffusers name, by the rules of Wan-Video/Wan2.1's module list;
/// for models with `res_blocks` residual blocks a stage.
std::string OriginalName(const std::string& diffusers_name, int res_blocks = 3);

/// The same tensors under their original names.
std::vector<FileTensor> WithOriginalNames(std::vector<FileTensor> tensors, int res_blocks = 3);

/// The tensor of that name; fails the test where there is none.
FileTensor& Find(std::vector<FileTensor>& tensors, const std::string& name);

void WriteModel(const std::string& path, const std::vector<FileTensor>& tensors);

}  // namespace causeway::test
