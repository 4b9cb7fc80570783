// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv3d/seed_kernels.h"

#include <array>
#include <charconv>

namespace causeway::kernels {
namespace {

constexpr std::string_view kWide256x32 =
    "sm90_xmma_fprop_implicit_gemm_f32f32_tf32f32_f32_nhwckrsc_nhwc_tilesize256x32x32_warpgroup"
    "size1x1x1_g1_execute_segment_k_off_kernel__5x_cudnn";
constexpr std::string_view kWide128x128 =
    "sm90_xmma_fprop_implicit_gemm_f32f32_tf32f32_f32_nhwckrsc_nhwc_tilesize128x128x32_warpgrou"
    "psize1x1x1_g1_execute_segment_k_off_kernel__5x_cudnn";
constexpr std::string_view kSplit128x128 =
    "sm90_xmma_fprop_implicit_gemm_f32f32_tf32f32_f32_nhwckrsc_nhwc_tilesize128x128x32_warpgrou"
    "psize1x1x1_g1_execute_segment_k_on_kernel__5x_cudnn";
constexpr std::string_view kHead128x16 =
    "sm80_xmma_fprop_implicit_gemm_indexed_wo_smem_tf32f32_tf32f32_f32_nhwckrsc_nhwc_tilesize12"
    "8x16x64_stage1_warpsize4x1x1_g1_tensor16x8x8_alignc4_execute_kernel__5x_cudnn";
constexpr std::string_view kGemm256x64 =
    "void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_256x64_16x4_nn_align4>(Params)";
constexpr std::string_view kIn128x64 =
    "sm80_xmma_fprop_implicit_gemm_tf32f32_tf32f32_f32_nhwckrsc_nchw_tilesize128x64x32_stage5_w"
    "arpsize2x2x1_g1_tensor16x8x8_execute_kernel__5x_cudnn";
constexpr std::string_view kGemm128x64 =
    "void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_128x64_16x6_nn_align4>(Params)";

constexpr SeedKernel kSeedKernels[] = {
    {0, kWide256x32},    {1, kWide128x128}, {2, kWide128x128},   {3, kWide128x128},
    {4, kWide128x128},   {5, kWide128x128}, {6, kWide256x32},    {7, kWide128x128},
    {8, kSplit128x128},  {9, kHead128x16},  {10, kSplit128x128}, {11, kGemm256x64},
    {12, kSplit128x128}, {13, kIn128x64},   {14, kHead128x16},   {15, kGemm128x64},
    {16, kGemm128x64},
};

/// The three numbers of "KEY1x2x3", where the name has that.
std::optional<std::array<int, 3>> Numbers(std::string_view name, std::string_view key) {
  const std::size_t start = name.find(key);
  if (start == std::string_view::npos) return std::nullopt;
  std::array<int, 3> numbers{};
  const char* at = name.data() + start + key.size();
  const char* end = name.data() + name.size();
  for (int& number : numbers) {
    const auto [next, error] = std::from_chars(at, end, number);
    if (error != std::errc() || number < 1) return std::nullopt;
    at = next != end && *next == 'x' ? next + 1 : next;
  }
  return numbers;
}

}  // namespace

std::span<const SeedKernel> SeedKernels() { return kSeedKernels; }

std::optional<KernelForm> ParseKernelName(std::string_view name) {
  constexpr int kWgmmaPixels = 64;
  const auto tile = Numbers(name, "_tilesize");
  if (!tile) return std::nullopt;
  KernelForm form;
  form.tile_pixels = (*tile)[0];
  form.tile_channels = (*tile)[1];
  form.chunk_channels = (*tile)[2];
  form.hides_epilogue = true;
  if (name.starts_with("sm90_")) {
    form.instruction = MatrixInstruction::kWgmma;
    form.product_pixels = kWgmmaPixels;
    form.product_channels = form.tile_channels;
    return form;
  }
  const auto warps = Numbers(name, "_warpsize");
  if (!name.starts_with("sm80_") || !warps) return std::nullopt;
  form.instruction = MatrixInstruction::kMmaSync;
  form.product_pixels = form.tile_pixels / (*warps)[0];
  form.product_channels = form.tile_channels / (*warps)[1];
  if (form.product_pixels < 1 || form.product_channels < 1) return std::nullopt;
  return form;
}

}  // namespace causeway::kernels
