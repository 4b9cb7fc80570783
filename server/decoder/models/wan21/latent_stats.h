// SPDX-License-Identifier: Apache-2.0
// Mean and standard deviation of each latent channel of the Wan 2.1 VAE. A diffusion model emits
// (z - mean) / std; the decoder takes z.
#pragma once

#include <array>

namespace causeway::decoder::wan21 {

inline constexpr int kLatentChannels = 16;

// Source: Wan-Video/Wan2.1 wan/modules/vae.py (commit 9737cba), class WanVAE; diffusers 0.42.1 has
// the same numbers as the defaults of AutoencoderKLWan. LightVAE is trained for the same latents.
inline constexpr std::array<double, kLatentChannels> kLatentsMean{
    -0.7571, -0.7089, -0.9113, 0.1075,  -0.1745, 0.9653,  -0.1517, 1.5508,
    0.4134,  -0.0715, 0.5517,  -0.3632, -0.1922, -0.9497, 0.2503,  -0.2921};
inline constexpr std::array<double, kLatentChannels> kLatentsStd{
    2.8184, 1.4541, 2.3275, 2.6558, 1.2196, 1.7708, 2.6052, 2.0743,
    3.2687, 2.1526, 2.8652, 1.5579, 1.6382, 1.1253, 2.8251, 1.9160};

}  // namespace causeway::decoder::wan21
