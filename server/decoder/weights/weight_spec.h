// SPDX-License-Identifier: Apache-2.0
// What a model needs of a weight file: one entry a tensor.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace causeway::decoder {

struct WeightSpec {
  std::string name;                 // the canonical name: diffusers' AutoencoderKL* state dict
  std::vector<std::int64_t> shape;  // convolutions [out, in, kt, kh, kw] or [out, in, kh, kw]
};

}  // namespace causeway::decoder
