// SPDX-License-Identifier: Apache-2.0
// What distinguishes one decoder of the Wan 2.1 graph from another.
#pragma once

#include <string>
#include <vector>

namespace causeway::decoder {

struct ModelConfig {
  std::string name;    // for people: the folder's or file's name, or a built-in name
  std::string family;  // the folder under models/ whose graph this is, for example "wan21"
  int latent_channels = 16;
  int base_width = 96;                       // channels at full resolution
  std::vector<int> multipliers{1, 2, 4, 4};  // channels of a stage / base_width, encoder's order
  std::vector<bool> temporal_upsample{true, true, false};  // up stages 0..2, decoder's order
  int res_blocks = 3;                // a stage of the decoder (num_res_blocks + 1)
  std::vector<double> latents_mean;  // [latent_channels]
  std::vector<double> latents_std;   // [latent_channels]
};

}  // namespace causeway::decoder
