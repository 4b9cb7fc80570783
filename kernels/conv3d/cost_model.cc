// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv3d/cost_model.h"

#include <algorithm>

namespace causeway::kernels {
namespace {

std::int64_t DivideUp(std::int64_t value, std::int64_t by) { return (value + by - 1) / by; }

double Pixels(const ConvWork& work) {
  return static_cast<double>(work.frames) * work.height * work.width;
}

int SpaceTapCount(const ConvWork& work) { return work.space_taps * work.space_taps; }

std::int64_t TileCount(const KernelForm& form, const ConvWork& work) {
  const std::int64_t channel_tiles = DivideUp(work.out_channels, form.tile_channels);
  if (form.is_patch_resident()) {
    return channel_tiles * work.frames * DivideUp(work.height, form.tile_height) *
           DivideUp(work.width, form.tile_width);
  }
  const std::int64_t pixels = std::int64_t{work.frames} * work.height * work.width;
  return channel_tiles * DivideUp(pixels, form.tile_pixels);
}

/// Input channels of one tap, filled up.
double PaddedChannels(const KernelForm& form, const ConvWork& work) {
  return static_cast<double>(DivideUp(work.in_channels, form.chunk_channels) * form.chunk_channels);
}

/// What one tile takes: multiply-adds, and bytes from L2.
struct TileCost {
  double macs = 0;
  double l2_bytes = 0;
  double operand_bytes = 0;
};

TileCost CostOfTile(const KernelForm& form, const ConvWork& work) {
  const double channels = PaddedChannels(form, work);
  const double depth = channels * work.time_taps * SpaceTapCount(work);
  const int halo = work.space_taps - 1;
  const double copied_pixels = form.is_patch_resident()
                                   ? static_cast<double>(form.tile_height + halo) *
                                         (form.tile_width + halo) * work.time_taps * channels
                                   : form.tile_pixels * depth;
  TileCost cost;
  cost.macs = static_cast<double>(form.tile_pixels) * form.tile_channels * depth;
  cost.l2_bytes = work.element_bytes * (copied_pixels + form.tile_channels * depth);
  cost.operand_bytes =
      work.element_bytes * cost.macs * (1.0 / form.product_pixels + 1.0 / form.product_channels);
  return cost;
}

/// Multiply-adds a clock of one multiprocessor at a FLOP/s rate of the device.
double MacsPerClock(const DevicePeaks& device, double flops) {
  return flops / (2 * device.processors * device.clock);
}

}  // namespace

double ConvWork::macs() const {
  return Pixels(*this) * in_channels * out_channels * time_taps * SpaceTapCount(*this);
}

double ConvWork::dram_bytes() const {
  const double frame_pixels = static_cast<double>(height) * width;
  const double input = frame_pixels * (frames + time_taps - 1) * in_channels * element_bytes;
  const double weights =
      element_bytes * in_channels * out_channels * time_taps * SpaceTapCount(*this);
  return input + weights + frame_pixels * frames * out_channels * epilogue_bytes;
}

ConvWork WorkOf(const Signature& signature, ElementType element) {
  const double bytes = ElementBytes(element);
  return {signature.in_channels,
          signature.out_channels,
          signature.time_taps,
          signature.space_taps,
          signature.frames,
          signature.height,
          signature.width,
          bytes,
          bytes};
}

KernelForm PortableForm(const TileConfig& config, ElementType element) {
  KernelForm form;
  form.instruction = MatrixInstruction::kMmaSync;
  form.tile_height = config.tile_height;
  form.tile_width = config.tile_width;
  form.tile_pixels = config.pixels();
  form.tile_channels = config.channels();
  form.chunk_channels = config.chunk_units * UnitChannels(element);
  form.product_pixels = 16 * config.mma_m;
  form.product_channels = 8 * config.mma_n;
  form.hides_epilogue = false;
  return form;
}

Intensity IntensityOf(const DevicePeaks& device, const KernelForm& form, const ConvWork& work,
                      ElementType element) {
  const TileCost cost = CostOfTile(form, work);
  const double clocks = cost.macs / MacsPerClock(device, device.nominal_flops(element));
  return {cost.l2_bytes / clocks, cost.operand_bytes / clocks, cost.l2_bytes / clocks};
}

const char* BoundName(Bound bound) {
  switch (bound) {
    case Bound::kTensor:
      return "tensor";
    case Bound::kShared:
      return "shared";
    case Bound::kL2:
      return "L2";
    case Bound::kDram:
      return "DRAM";
  }
  return "";
}

CostPrediction Predict(const DevicePeaks& device, const KernelForm& form, const ConvWork& work,
                       ElementType element) {
  const TileCost cost = CostOfTile(form, work);
  CostPrediction prediction;
  prediction.tiles = TileCount(form, work);
  prediction.waves = DivideUp(prediction.tiles, device.processors);
  const auto seconds = [&](double clocks_a_tile) {
    return static_cast<double>(prediction.waves) * clocks_a_tile / device.clock;
  };
  double flops = device.sustained_flops(element);
  if (form.instruction == MatrixInstruction::kMmaSync) {
    flops = std::min(flops, device.mma_sync_share * device.nominal_flops(element));
  }
  prediction.tensor = seconds(cost.macs / MacsPerClock(device, flops));
  prediction.shared = seconds((cost.l2_bytes + cost.operand_bytes) / device.shared_bytes_per_clock);
  prediction.l2 = seconds(cost.l2_bytes / device.l2_bytes_per_clock);
  prediction.dram = work.dram_bytes() / device.sustained_dram;
  if (!form.hides_epilogue) {
    prediction.epilogue = seconds(work.epilogue_bytes * form.tile_pixels * form.tile_channels /
                                  device.l2_bytes_per_clock);
  }
  const double on_chip = std::max({prediction.tensor, prediction.shared, prediction.l2});
  prediction.bound = on_chip == prediction.tensor   ? Bound::kTensor
                     : on_chip == prediction.shared ? Bound::kShared
                                                    : Bound::kL2;
  prediction.total = on_chip + prediction.epilogue;
  if (prediction.dram > prediction.total) {
    prediction.total = prediction.dram;
    prediction.bound = Bound::kDram;
  }
  return prediction;
}

double FloorSeconds(const DevicePeaks& device, const ConvWork& work, ElementType element) {
  return std::max(2 * work.macs() / device.sustained_flops(element),
                  work.dram_bytes() / device.sustained_dram);
}

}  // namespace causeway::kernels
