// SPDX-License-Identifier: Apache-2.0
// Between the oracle's activations and LibTorch tensors of the same layout.
#pragma once

#include <vector>

#include <ATen/ATen.h>

#include "tests/support/oracle.h"

namespace causeway::test {

inline at::Tensor ToTensor(const std::vector<double>& values, at::IntArrayRef shape,
                           at::ScalarType type) {
  return at::tensor(values, at::kDouble).reshape(shape).to(type);
}

inline at::Tensor ToTensor(const oracle::Activation& x, at::ScalarType type) {
  return ToTensor(x.values, {x.frames, x.height, x.width, x.channels}, type);
}

/// [out, in, time, height, width].
inline at::Tensor ToTensor(const oracle::Filter& filter, at::ScalarType type) {
  return ToTensor(filter.weight, {filter.out, filter.in, filter.time, filter.height, filter.width},
                  type);
}

/// `x`: [frames, height, width, channels].
inline oracle::Activation ToActivation(const at::Tensor& x) {
  oracle::Activation out(static_cast<int>(x.size(0)), static_cast<int>(x.size(1)),
                         static_cast<int>(x.size(2)), static_cast<int>(x.size(3)));
  const at::Tensor wide = x.to(at::kDouble).contiguous();
  out.values.assign(wide.data_ptr<double>(), wide.data_ptr<double>() + wide.numel());
  return out;
}

}  // namespace causeway::test
