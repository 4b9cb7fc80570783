// SPDX-License-Identifier: Apache-2.0
#include "server/decoder/backends/reference/operations.h"

#include <array>
#include <cmath>
#include <vector>

#include <ATen/ATen.h>

namespace causeway::decoder::reference {
namespace {

// The L2 norm's floor in diffusers' RMS norm (torch.nn.functional.normalize).
constexpr double kNormFloor = 1e-12;

// `x` and `weight` in PyTorch's axis order with channels innermost in memory.
at::Tensor Convolve(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                    at::IntArrayRef padding) {
  const std::vector<std::int64_t> ones(padding.size(), 1);
  // The dispatcher sends small fp32 3-D convolutions of batch 1 on a CPU to a kernel that is 4 to
  // 25 times slower than oneDNN's (measured with base widths 16 to 64).
  if (x.is_cpu() && x.scalar_type() == at::kFloat) {
    return at::mkldnn_convolution(x, weight, bias, padding, ones, ones, 1);
  }
  const std::vector<std::int64_t> zeros(padding.size(), 0);
  return at::convolution(x, weight, bias, ones, padding, ones, false, zeros, 1);
}

}  // namespace

void RmsNorm(const at::Tensor& x, const at::Tensor& scaled_gamma, bool silu, at::Tensor out) {
  // An intermediate in fp32 at least: a sum of squares over 384 channels leaves fp16's range early.
  const at::ScalarType wide = at::promote_types(x.scalar_type(), at::kFloat);
  const at::Tensor norm =
      at::linalg_vector_norm(x, 2, at::IntArrayRef{-1}, true, wide).clamp_min_(kNormFloor);
  if (x.scalar_type() == wide) {
    at::div_out(out, x, norm);
    out.mul_(scaled_gamma);
  } else {
    out.copy_(x.to(wide).div_(norm).mul_(scaled_gamma));
  }
  if (silu) at::silu_(out);
}

at::Tensor Conv3d(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                  int space_padding) {
  const std::array<std::int64_t, 3> padding{0, space_padding, space_padding};
  const at::Tensor ncdhw = x.permute({3, 0, 1, 2}).unsqueeze(0);
  return Convolve(ncdhw, weight, bias, padding).squeeze(0).permute({1, 2, 3, 0}).contiguous();
}

at::Tensor Conv2d(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                  int space_padding) {
  const std::array<std::int64_t, 2> padding{space_padding, space_padding};
  const at::Tensor nchw = x.permute({0, 3, 1, 2});
  return Convolve(nchw, weight, bias, padding).permute({0, 2, 3, 1}).contiguous();
}

at::Tensor Pointwise(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  return at::linear(x, weight, bias);
}

at::Tensor Attention(const at::Tensor& qkv) {
  const std::int64_t frames = qkv.size(0);
  const std::int64_t tokens = qkv.size(1) * qkv.size(2);
  const std::int64_t channels = qkv.size(3) / 3;
  // [frames, heads = 1, tokens, channels] each, as views.
  const std::vector<at::Tensor> parts =
      qkv.view({frames, 1, tokens, 3 * channels}).split(channels, -1);
  return at::scaled_dot_product_attention(parts[0], parts[1], parts[2])
      .reshape({frames, qkv.size(1), qkv.size(2), channels});
}

at::Tensor DeinterleaveFrames(const at::Tensor& x) {
  const std::int64_t channels = x.size(3) / 2;
  return x.view({x.size(0), x.size(1), x.size(2), 2, channels})
      .permute({0, 3, 1, 2, 4})
      .reshape({2 * x.size(0), x.size(1), x.size(2), channels});
}

at::Tensor FoldUpConvWeight(const at::Tensor& weight) {
  // Summed in fp64, so that each folded tap is rounded once.
  const at::Tensor wide = weight.to(at::kDouble);
  const auto fold = [](const at::Tensor& taps, std::int64_t axis) {
    const std::vector<at::Tensor> w = taps.unbind(axis);
    return std::array<at::Tensor, 2>{at::stack({w[0], w[1] + w[2]}, axis),
                                     at::stack({w[0] + w[1], w[2]}, axis)};
  };
  std::vector<at::Tensor> parities;
  for (const at::Tensor& rows : fold(wide, 2)) {
    for (const at::Tensor& both : fold(rows, 3)) parities.push_back(both);
  }
  return at::cat(parities, 0).to(weight.scalar_type());
}

at::Tensor UpConvParity(const at::Tensor& folded_result, int parity) {
  const std::int64_t height = folded_result.size(1) - 1;
  const std::int64_t width = folded_result.size(2) - 1;
  const std::int64_t channels = folded_result.size(3) / 4;
  // With a padding of 1, row r of the result has read source rows r - 1 and r.
  return folded_result.narrow(1, parity / 2, height)
      .narrow(2, parity % 2, width)
      .narrow(3, parity * channels, channels);
}

at::Tensor InterleaveParities(const at::Tensor& folded_result) {
  const std::int64_t frames = folded_result.size(0);
  const std::int64_t height = folded_result.size(1) - 1;
  const std::int64_t width = folded_result.size(2) - 1;
  const std::int64_t channels = folded_result.size(3) / 4;
  at::Tensor out = at::empty({frames, 2 * height, 2 * width, channels}, folded_result.options());
  const at::Tensor by_parity = out.view({frames, height, 2, width, 2, channels});
  for (int parity = 0; parity < 4; ++parity) {
    by_parity.select(4, parity % 2)
        .select(2, parity / 2)
        .copy_(UpConvParity(folded_result, parity));
  }
  return out;
}

}  // namespace causeway::decoder::reference
