// SPDX-License-Identifier: Apache-2.0
// The decoder's operations in plain LibTorch, for any device and floating-point type. Activations
// are NDHWC without the batch axis: [frames, height, width, channels], contiguous. Results are new
// tensors unless an `out` is named.
#pragma once

#include <ATen/core/Tensor.h>

namespace causeway::decoder::reference {

/// x / max(|x|, 1e-12) * scaled_gamma over the channels of every position, with |x| the L2 norm;
/// then y * sigmoid(y) where `silu`. `scaled_gamma`: [C], gamma * sqrt(C). Written to `out`, which
/// has the shape of x.
void RmsNorm(const at::Tensor& x, const at::Tensor& scaled_gamma, bool silu, at::Tensor out);

/// Convolution over time and space of [F, H, W, Ci] with `weight` [Co, Ci, kt, kh, kw]; zero
/// padding of `space_padding` in y and x, none in time: F - kt + 1 frames come out.
at::Tensor Conv3d(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                  int space_padding);

/// Convolution of every frame of [F, H, W, Ci] with `weight` [Co, Ci, kh, kw].
at::Tensor Conv2d(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                  int space_padding);

/// 1x1 convolution: `weight` [Co, Ci].
at::Tensor Pointwise(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);

/// softmax(q k^T / sqrt(C)) v within every frame; `qkv` [F, H, W, 3C] holds q, k, v in this order.
at::Tensor Attention(const at::Tensor& qkv);

/// The time convolution's 2C channels as twice the frames: frame t gives frame 2t from channels
/// [0, C) and frame 2t + 1 from channels [C, 2C).
at::Tensor DeinterleaveFrames(const at::Tensor& x);

/// The weights of FoldedUpConv from those of the 3x3 convolution [Co, C, 3, 3]: [4 Co, C, 2, 2],
/// row and column parity of the output pixel outermost. Doubling pixels and then summing 3 taps
/// reads two source pixels a direction: for an even output pixel w0 on the one before and w1 + w2
/// on its own, for an odd one w0 + w1 on its own and w2 on the one after.
at::Tensor FoldUpConvWeight(const at::Tensor& weight);

/// Parity `parity` (0..3: 2 * row + column) of the up-convolution's result as computed by one
/// Conv2d of padding 1 with the folded weights: [F, H + 1, W + 1, 4 Co] to [F, H, W, Co], a view.
at::Tensor UpConvParity(const at::Tensor& folded_result, int parity);

/// Interleaves the four parities to [F, 2H, 2W, Co].
at::Tensor InterleaveParities(const at::Tensor& folded_result);

}  // namespace causeway::decoder::reference
