// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv3d/device_peaks.h"

namespace causeway::kernels {
namespace {

// Processors, nominal tensor rates, clocks, DRAM: NVIDIA's H100, H200 and A100 data sheets and
// architecture white papers, SXM parts. A rate is processors x clock x FLOP a clock: 4096 on sm_90
// at 1.83 GHz, 2048 on sm_80 at 1.41 GHz.
//
// Sustained: 790 TFLOP/s (0.8 of nominal) and 4.3 TB/s (0.9) are measured on an H200 and published;
// the other parts are taken to keep the same shares.
//
// mma.sync on Hopper: Luo et al., "Benchmarking and Dissecting the Nvidia Hopper GPU Architecture",
// 2024 (arXiv 2402.13499): 0.63 of the peak on average. Not measured by us.
//
// L2 on Hopper: 64 B a clock and multiprocessor are nominal. 45 is what row 0 of the seed profile
// moves; the one figure here that comes from that profile. On the A100 5120 B a clock are nominal
// for the whole chip (white paper), and the same share of them is taken: 108 x 33 B.
//
// Shared memory: 32 banks of 4 bytes.
constexpr double kHopperMmaSync = 0.63;
constexpr double kHopperL2 = 45;
constexpr double kAmpereL2 = 33;
constexpr double kSharedBytes = 128;

constexpr DevicePeaks kDevices[] = {
    {"h200", "sm_90", 132, 1.83e9, 989.4e12, 790e12, kHopperMmaSync, 4.8e12, 4.3e12, kHopperL2,
     kSharedBytes},
    {"h100", "sm_90", 132, 1.83e9, 989.4e12, 790e12, kHopperMmaSync, 3.35e12, 3.0e12, kHopperL2,
     kSharedBytes},
    {"a100", "sm_80", 108, 1.41e9, 312e12, 250e12, 1.0, 2.039e12, 1.83e12, kAmpereL2, kSharedBytes},
};

}  // namespace

std::span<const DevicePeaks> KnownDevices() { return kDevices; }

std::optional<DevicePeaks> FindDevice(std::string_view name) {
  for (const DevicePeaks& device : kDevices) {
    if (device.name == name) return device;
  }
  return std::nullopt;
}

}  // namespace causeway::kernels
