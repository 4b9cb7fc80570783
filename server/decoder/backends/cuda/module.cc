// SPDX-License-Identifier: Apache-2.0
// The CUDA backend's module: what it exports. It holds no kernels and decodes nothing yet.
#include <c10/cuda/CUDAFunctions.h>
#include <cuda_runtime_api.h>
#include <torch/headeronly/version.h>

#include "server/decoder/backends/backend_module.h"

namespace causeway::decoder {
namespace {

std::int32_t DeviceCount() { return c10::cuda::device_count(); }

constexpr BackendModule kModule = {
    .version = kBackendModuleVersion,
    .cuda_version = CUDART_VERSION,
    .libtorch_version = TORCH_VERSION,
    .device_count = &DeviceCount,
};

}  // namespace
}  // namespace causeway::decoder

extern "C" [[gnu::visibility("default")]] const causeway::decoder::BackendModule*
causeway_backend_module() {
  return &causeway::decoder::kModule;
}
