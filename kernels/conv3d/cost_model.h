// SPDX-License-Identifier: Apache-2.0
// How long a convolution kernel takes at best, from its tile alone: the largest of four times
// (tensor cores, shared memory, L2, DRAM), in whole waves of blocks. No latencies, no barriers, no
// launch: what is predicted is what a kernel of that shape can reach, and the largest term says
// what stands in its way.
//
// One block a multiprocessor at a time does a tile. With K = in_channels, filled up to whole
// chunks, times the taps:
//   tensor  tile pixels x tile channels x K multiply-adds
//   L2      the weights of the tile once; the pixels once for every tap (im2col), or the patch with
//           its halo once for every time tap (patch-resident)
//   shared  what came from L2 is written once; each matrix product reads both of its operands
//   waves   tiles / multiprocessors, rounded up: a last wave takes as long as a full one
//   DRAM    the input with its history, the weights and the output, once
#pragma once

#include <cstdint>

#include "causeway/kernels/conv3d.h"
#include "kernels/conv3d/device_peaks.h"
#include "kernels/conv3d/signatures.h"

namespace causeway::kernels {

/// What is to be computed.
struct ConvWork {
  int in_channels = 0;
  int out_channels = 0;
  int time_taps = 3;  // those that are computed
  int space_taps = 3;
  int frames = 1;
  int height = 0;
  int width = 0;
  double element_bytes = 2;   // of input and weights
  double epilogue_bytes = 2;  // read and written for every output value after the sum

  double macs() const;        // multiply-adds, without any padding
  double dram_bytes() const;  // the least that has to be moved
};

/// A signature of the table with plain stores of its element type.
ConvWork WorkOf(const Signature& signature, ElementType element);

enum class MatrixInstruction { kMmaSync, kWgmma };

/// What a kernel does with it.
struct KernelForm {
  MatrixInstruction instruction = MatrixInstruction::kMmaSync;
  int tile_height = 0;  // 0: the tile is tile_pixels in a row over all frames (im2col)
  int tile_width = 0;
  int tile_pixels = 0;
  int tile_channels = 0;   // output channels a block
  int chunk_channels = 0;  // input channels are filled up to a multiple of it
  /// The pixels and channels that are multiplied for one read of both operands from shared memory:
  /// the block of a warp, or 64 x N of a wgmma.
  int product_pixels = 0;
  int product_channels = 0;
  /// Whether something else computes while a tile is stored: a persistent grid with a producer, or
  /// several blocks on a multiprocessor.
  bool hides_epilogue = false;

  bool is_patch_resident() const { return tile_height > 0; }
};

/// Our portable kernel in one of its forms.
KernelForm PortableForm(const TileConfig& config, ElementType element);

/// Bytes a clock of one multiprocessor with the tensor cores at their nominal rate.
struct Intensity {
  double l2 = 0;
  double shared_reads = 0;   // operands
  double shared_writes = 0;  // what comes from L2
};

Intensity IntensityOf(const DevicePeaks& device, const KernelForm& form, const ConvWork& work,
                      ElementType element);

enum class Bound { kTensor, kShared, kL2, kDram };

const char* BoundName(Bound bound);

struct CostPrediction {
  std::int64_t tiles = 0;
  std::int64_t waves = 0;
  // Seconds.
  double tensor = 0;
  double shared = 0;
  double l2 = 0;
  double dram = 0;
  double epilogue = 0;  // stores that nothing hides: added
  double total = 0;     // max(max(tensor, shared, l2) + epilogue, dram)
  Bound bound = Bound::kTensor;
};

CostPrediction Predict(const DevicePeaks& device, const KernelForm& form, const ConvWork& work,
                       ElementType element);

/// Seconds below which no kernel with direct products can be: FLOPs at the sustained rate, or the
/// least bytes at the sustained DRAM rate.
double FloorSeconds(const DevicePeaks& device, const ConvWork& work, ElementType element);

}  // namespace causeway::kernels
