// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv3d/cost_model.h"

#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "kernels/conv3d/seed_kernels.h"

namespace causeway::kernels {
namespace {

const DevicePeaks kH200 = FindDevice("h200").value();

const Signature& SeedRow(int row) {
  for (const Signature& signature : Signatures()) {
    if (signature.seed_row == row) return signature;
  }
  throw std::invalid_argument("no such row");
}

/// Predicted over measured time of the row's own library kernel.
double SeedRatio(int row) {
  for (const SeedKernel& kernel : SeedKernels()) {
    if (kernel.seed_row != row) continue;
    const Signature& signature = SeedRow(row);
    const CostPrediction cost = Predict(kH200, ParseKernelName(kernel.name).value(),
                                        WorkOf(signature, ElementType::kTf32), ElementType::kTf32);
    return cost.total * 1e6 / signature.seed_conv_us;
  }
  throw std::invalid_argument("no such row");
}

// 256x32, 128x128 and, over time, 128x128 tiles. Row 0 gave the L2 rate; the others are predicted.
TEST(CostModel, ReproducesTheLibraryKernelsThatItIsJudgedBy) {
  for (const int row : {0, 1, 5}) EXPECT_NEAR(SeedRatio(row), 1.0, 0.25) << "row " << row;
}

// Rows 2 and 4 took 1.6 times what their tiles need, for a reason that is not known: the model
// stays below the measured time there, as a bound has to, and is not bent to fit.
TEST(CostModel, IsNeverFarAboveWhatWasMeasured) {
  for (const SeedKernel& kernel : SeedKernels()) {
    if (!ParseKernelName(kernel.name)) continue;
    EXPECT_LT(SeedRatio(kernel.seed_row), 1.25) << "row " << kernel.seed_row;
    EXPECT_GT(SeedRatio(kernel.seed_row), 0.5) << "row " << kernel.seed_row;
  }
}

// What limits cuDNN at 96 channels is the traffic of three narrow tiles.
TEST(CostModel, NamesL2AsTheLimitOfRowZero) {
  const CostPrediction cost = Predict(kH200, ParseKernelName(SeedKernels()[0].name).value(),
                                      WorkOf(SeedRow(0), ElementType::kTf32), ElementType::kTf32);
  EXPECT_EQ(cost.bound, Bound::kL2);
  EXPECT_EQ(cost.tiles, 4 * 704 * 320 / 256 * 3);
  EXPECT_EQ(cost.waves, cost.tiles / 132);
}

KernelForm WgmmaForm(int pixels, int channels) {
  KernelForm form;
  form.instruction = MatrixInstruction::kWgmma;
  form.tile_pixels = pixels;
  form.tile_channels = channels;
  form.chunk_channels = 32;
  form.product_pixels = 64;
  form.product_channels = channels;
  form.hides_epilogue = true;
  return form;
}

KernelForm WgmmaPatch(int height, int width, int channels) {
  KernelForm form = WgmmaForm(height * width, channels);
  form.tile_height = height;
  form.tile_width = width;
  return form;
}

struct Traffic {
  const char* what;
  KernelForm form;
  int channels;
  double reads;
  double writes;
};

// By hand, bytes a clock at 2048 multiply-adds a clock (16 bit): a wgmma of 64 x N reads
// 2 (64 + N) bytes a channel in N / 32 clocks. A tile of P pixels x N channels copies 2 (P + N)
// bytes a channel and tap in P N / 2048 clocks; a patch of Q pixels 2 (Q + 9 N) in 9 P N / 2048.
TEST(CostModel, CountsTheBytesOfEachForm) {
  const ConvWork work96{96, 96, 3, 3, 4, 704, 1280, 2, 2};
  const ConvWork work192{192, 192, 3, 3, 4, 352, 640, 2, 2};
  for (const Traffic& traffic : {
           Traffic{"256x32 im2col", WgmmaForm(256, 32), 96, 192, 144},
           Traffic{"128x96 im2col", WgmmaForm(128, 96), 96, 106.7, 74.7},
           Traffic{"256x96 im2col", WgmmaForm(256, 96), 96, 106.7, 58.7},
           Traffic{"256x192 im2col", WgmmaForm(256, 192), 192, 85.3, 37.3},
           Traffic{"8x16 patch x 96", WgmmaPatch(8, 16, 96), 96, 106.7, 38.7},
           Traffic{"16x16 patch x 96", WgmmaPatch(16, 16, 96), 96, 106.7, 22.0},
           Traffic{"16x24 patch x 96", WgmmaPatch(16, 24, 96), 96, 106.7, 16.4},
           Traffic{"16x16 patch x 192", WgmmaPatch(16, 16, 192), 192, 85.3, 19.0},
       }) {
    const ConvWork& work = traffic.channels == 96 ? work96 : work192;
    const Intensity intensity = IntensityOf(kH200, traffic.form, work, ElementType::kFp16);
    // 0.1: the figures are rounded to a decimal, and the nominal rate to four digits.
    EXPECT_NEAR(intensity.shared_reads, traffic.reads, 0.1) << traffic.what;
    EXPECT_NEAR(intensity.shared_writes, traffic.writes, 0.1) << traffic.what;
    EXPECT_NEAR(intensity.l2, traffic.writes, 0.1) << traffic.what;
  }
}

// The same bytes a clock with 4-byte elements at half the rate.
TEST(CostModel, Tf32HasTheIntensityOfHalfPrecision) {
  const KernelForm form = WgmmaPatch(16, 24, 96);
  const Intensity half =
      IntensityOf(kH200, form, {96, 96, 3, 3, 4, 704, 1280, 2, 2}, ElementType::kFp16);
  const Intensity tf32 =
      IntensityOf(kH200, form, {96, 96, 3, 3, 4, 704, 1280, 4, 4}, ElementType::kTf32);
  EXPECT_DOUBLE_EQ(half.l2, tf32.l2);
  EXPECT_DOUBLE_EQ(half.shared_reads, tf32.shared_reads);
}

// A patch-resident wgmma kernel is bound by nothing but the tensor cores.
TEST(CostModel, APatchResidentWgmmaTileReachesTheSustainedRate) {
  const ConvWork work = WorkOf(SeedRow(0), ElementType::kFp16);
  const CostPrediction cost = Predict(kH200, WgmmaPatch(16, 24, 96), work, ElementType::kFp16);
  EXPECT_EQ(cost.bound, Bound::kTensor);
  EXPECT_LT(cost.total, 1.1 * FloorSeconds(kH200, work, ElementType::kFp16));
}

TEST(CostModel, ALastWaveOfOneTileCostsAWave) {
  const KernelForm form = WgmmaPatch(16, 16, 96);
  ConvWork work{96, 96, 3, 3, 1, 16, 16 * 132, 2, 2};
  const CostPrediction full = Predict(kH200, form, work, ElementType::kFp16);
  EXPECT_EQ(full.waves, 1);
  work.width += 1;
  const CostPrediction over = Predict(kH200, form, work, ElementType::kFp16);
  EXPECT_EQ(over.tiles, 133);
  EXPECT_EQ(over.waves, 2);
  EXPECT_DOUBLE_EQ(over.tensor, 2 * full.tensor);
}

TEST(CostModel, PaddedChannelsCostLikeRealOnes) {
  const KernelForm form = WgmmaForm(128, 128);
  const CostPrediction padded =
      Predict(kH200, form, {100, 130, 3, 3, 4, 64, 64, 2, 2}, ElementType::kFp16);
  const CostPrediction whole =
      Predict(kH200, form, {128, 256, 3, 3, 4, 64, 64, 2, 2}, ElementType::kFp16);
  EXPECT_DOUBLE_EQ(padded.tensor, whole.tensor);
  EXPECT_DOUBLE_EQ(padded.l2, whole.l2);
  EXPECT_LT(padded.dram, whole.dram);
}

TEST(CostModel, AConvolutionOfFewChannelsIsBoundByDram) {
  const CostPrediction cost =
      Predict(kH200, WgmmaForm(256, 16), {8, 8, 1, 1, 4, 704, 1280, 4, 4}, ElementType::kTf32);
  EXPECT_EQ(cost.bound, Bound::kDram);
  // 8 channels in and 8 out, 4 bytes each, and 256 bytes of weights.
  EXPECT_NEAR(cost.total, (4.0 * 704 * 1280 * 64 + 256) / 4.3e12, 1e-12);
}

// FLOPs at 395 or 790 TFLOP/s, bytes at 4.3 TB/s: 448.5 GFLOP, and for the head its 530 and 265 MB.
TEST(CostModel, FloorsAreFlopsOrBytesAtTheSustainedRates) {
  const auto floor_us = [](int row, ElementType element) {
    return FloorSeconds(kH200, WorkOf(SeedRow(row), element), element) * 1e6;
  };
  EXPECT_NEAR(floor_us(0, ElementType::kTf32), 1135.3, 0.5);
  EXPECT_NEAR(floor_us(0, ElementType::kFp16), 567.7, 0.5);
  EXPECT_NEAR(floor_us(2, ElementType::kTf32), 567.7, 0.5);
  EXPECT_NEAR(floor_us(5, ElementType::kFp16), 63.1, 0.5);
  EXPECT_NEAR(floor_us(9, ElementType::kTf32), 123.2, 0.5);
  EXPECT_NEAR(floor_us(9, ElementType::kFp16), 61.6, 0.5);
}

TEST(CostModel, PortableFormFollowsItsTile) {
  const TileConfig config{16, 16, 8, 1, 2, 12, 8, 4};
  const KernelForm half = PortableForm(config, ElementType::kFp16);
  EXPECT_EQ(half.tile_pixels, 256);
  EXPECT_EQ(half.tile_channels, 96);
  EXPECT_EQ(half.chunk_channels, 64);
  EXPECT_EQ(half.product_pixels, 32);
  EXPECT_EQ(half.product_channels, 96);
  EXPECT_EQ(half.instruction, MatrixInstruction::kMmaSync);
  EXPECT_EQ(PortableForm(config, ElementType::kTf32).chunk_channels, 32);
}

// Stores of 256 pixels x 96 channels x 10 bytes at 45 B a clock, one tile after another.
TEST(CostModel, AKernelWithoutOverlapPaysForItsStores) {
  const KernelForm form = PortableForm({16, 16, 8, 1, 2, 12, 8, 4}, ElementType::kFp16);
  const ConvWork work{96, 96, 3, 3, 1, 16, 16, 2, 10};
  const CostPrediction cost = Predict(kH200, form, work, ElementType::kFp16);
  EXPECT_NEAR(cost.epilogue, 256 * 96 * 10 / 45.0 / 1.83e9, 1e-12);
  EXPECT_DOUBLE_EQ(cost.total, std::max(cost.tensor, cost.shared) + cost.epilogue);
}

TEST(DevicePeaks, AreThoseOfTheirArchitectures) {
  for (const DevicePeaks& device : KnownDevices()) {
    ASSERT_TRUE(FindArchitecture(device.architecture)) << device.name;
    // Multiply-adds a clock and processor are a power of two: the figures fit each other.
    const double macs = device.nominal_flops_16 / (2 * device.processors * device.clock);
    const double power = std::log2(macs);
    EXPECT_NEAR(power, std::round(power), 0.01) << device.name << ": " << macs;
    EXPECT_LT(device.sustained_flops_16, device.nominal_flops_16);
    EXPECT_LT(device.sustained_dram, device.nominal_dram);
  }
  EXPECT_FALSE(FindDevice("h300"));
}

TEST(SeedKernels, NamesTellTheTile) {
  const KernelForm in = ParseKernelName(SeedKernels()[13].name).value();
  EXPECT_EQ(in.tile_pixels, 128);
  EXPECT_EQ(in.tile_channels, 64);
  EXPECT_EQ(in.chunk_channels, 32);
  EXPECT_EQ(in.product_pixels, 64);
  EXPECT_EQ(in.product_channels, 32);
  EXPECT_EQ(in.instruction, MatrixInstruction::kMmaSync);
  EXPECT_FALSE(in.is_patch_resident());
}

TEST(SeedKernels, OtherNamesTellNothing) {
  for (const std::string name :
       {"", "void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_128x64_16x6_nn_align4>(Params)",
        "sm90_fprop_tilesize256x32", "sm90_fprop_tilesize0x32x32", "sm80_fprop_tilesize128x64x32_x",
        "sm70_fprop_tilesize128x64x32_warpsize2x2x1", "sm80_tilesize2x64x32_warpsize4x1x1"}) {
    EXPECT_FALSE(ParseKernelName(name)) << name;
  }
}

TEST(SeedKernels, OneForEachRow) {
  int row = 0;
  for (const SeedKernel& kernel : SeedKernels()) EXPECT_EQ(kernel.seed_row, row++);
  EXPECT_EQ(row, 17);
}

}  // namespace
}  // namespace causeway::kernels
