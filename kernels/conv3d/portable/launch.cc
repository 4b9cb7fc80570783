// SPDX-License-Identifier: Apache-2.0
// Host code only: the kernels come as addresses, so that the CUDA compiler and its older C++ need
// not see the public headers.
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "causeway/kernels/conv3d_cuda.h"
#include "kernels/conv3d/portable/find_kernel.h"
#include "kernels/conv3d/portable/launch_plan.h"
#include "kernels/conv3d/tile_table.h"

namespace causeway::kernels {
namespace {

#define CAUSEWAY_TILE_ROW(...) TileConfig{__VA_ARGS__},
constexpr TileConfig kTiles[] = {CAUSEWAY_CONV3D_TILES(CAUSEWAY_TILE_ROW)};
#undef CAUSEWAY_TILE_ROW
constexpr std::size_t kTileCount = std::size(kTiles);
constexpr std::size_t kElementTypes = 3;
constexpr int kRememberedDevices = 64;
constexpr std::uintptr_t kAlignment = 16;

LaunchStatus Refused(const char* what) { return {LaunchCode::kRefused, what, cudaSuccess}; }

/// The error is in the status; the runtime would hand it to the next caller as well.
LaunchStatus Failed(const char* what, cudaError_t error) {
  static_cast<void>(cudaGetLastError());
  return {LaunchCode::kCudaError, what, error};
}

bool IsUsable(const void* pointer, bool is_needed) {
  if (!is_needed) return true;
  return pointer != nullptr && reinterpret_cast<std::uintptr_t>(pointer) % kAlignment == 0;
}

/// The first argument that is null or misaligned though the problem needs it; null if none.
const char* UnusableArgument(const Conv3dProblem& problem, const Conv3dArguments& arguments) {
  const bool has_norm = problem.epilogue.norm != NormType::kNone;
  const bool has_residual = problem.epilogue.residual != RawType::kNone;
  const bool has_raw = problem.epilogue.raw_store != RawType::kNone;
  if (!IsUsable(arguments.input, true)) return "input: null or not 16-byte aligned";
  if (!IsUsable(arguments.weights, true)) return "weights: null or not 16-byte aligned";
  if (!IsUsable(arguments.bias, true)) return "bias: null or not 16-byte aligned";
  if (!IsUsable(arguments.scaled_gamma, has_norm)) {
    return "scaled_gamma: null or not 16-byte aligned";
  }
  if (!IsUsable(arguments.residual, has_residual)) return "residual: null or not 16-byte aligned";
  if (!IsUsable(arguments.raw, has_raw)) return "raw: null or not 16-byte aligned";
  if (!IsUsable(arguments.output, has_norm)) return "output: null or not 16-byte aligned";
  if (!IsUsable(arguments.frames, true)) return "frames: null or not 16-byte aligned";
  return nullptr;
}

std::size_t TileIndex(const TileConfig& config) {
  std::size_t index = 0;
  for (const TileConfig& known : kTiles) {
    if (known == config) break;
    ++index;
  }
  return index;
}

/// More than 48 KiB of shared memory have to be asked for, once a kernel and device. Two threads
/// that are first together both ask: harmless.
LaunchStatus AllowSharedMemory(const void* kernel, ElementType element, std::size_t tile,
                               int bytes) {
  static std::array<std::array<std::atomic<std::uint64_t>, kTileCount>, kElementTypes> allowed{};
  int device = 0;
  if (const cudaError_t error = cudaGetDevice(&device); error != cudaSuccess) {
    return Failed("cudaGetDevice", error);
  }
  std::atomic<std::uint64_t>& devices = allowed[static_cast<std::size_t>(element)][tile];
  const std::uint64_t bit = device < kRememberedDevices ? std::uint64_t{1} << device : 0;
  if ((devices.load(std::memory_order_relaxed) & bit) != 0) return {};
  if (const cudaError_t error =
          cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
      error != cudaSuccess) {
    return Failed("cudaFuncSetAttribute", error);
  }
  devices.fetch_or(bit, std::memory_order_relaxed);
  return {};
}

}  // namespace

LaunchStatus LaunchConv3d(const Conv3dProblem& problem, const TileConfig& config,
                          const Conv3dArguments& arguments, cudaStream_t stream) {
  if (Check(problem)) return Refused("problem: Check refuses it");
  if (config.channels() < problem.out_channels) {
    return Refused("config: fewer channels than the problem");
  }
  const portable::PortableKernel found = portable::FindPortableKernel(problem.element, config);
  if (found == nullptr) return Refused("config: not a compiled form");
  if (const char* what = UnusableArgument(problem, arguments)) return Refused(what);

  portable::LaunchPlan plan = portable::MakeLaunchPlan(problem, config, arguments);
  const void* kernel = reinterpret_cast<const void*>(found);
  if (const LaunchStatus status =
          AllowSharedMemory(kernel, problem.element, TileIndex(config), plan.shared_bytes);
      !status.ok()) {
    return status;
  }
  void* parameters[] = {&plan.params};
  const cudaError_t error =
      cudaLaunchKernel(kernel, dim3(static_cast<unsigned>(plan.grid_blocks)),
                       dim3(static_cast<unsigned>(plan.block_threads)), parameters,
                       static_cast<std::size_t>(plan.shared_bytes), stream);
  return error == cudaSuccess ? LaunchStatus{} : Failed("cudaLaunchKernel", error);
}

}  // namespace causeway::kernels
