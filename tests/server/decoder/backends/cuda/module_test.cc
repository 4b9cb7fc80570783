// SPDX-License-Identifier: Apache-2.0
// The CUDA module as a program sees it: opened at run time, on a machine with or without a GPU.
#include <string_view>

#include <dlfcn.h>
#include <gtest/gtest.h>

#include "server/decoder/backends/backend_module.h"

namespace causeway::decoder {
namespace {

TEST(CudaModule, OpensAndTellsItsVersions) {
  void* library = dlopen(CAUSEWAY_CUDA_MODULE, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  const auto function =
      reinterpret_cast<BackendModuleFunction>(dlsym(library, kBackendModuleSymbol));
  ASSERT_NE(function, nullptr) << dlerror();
  const BackendModule* module = function();
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(module->version, kBackendModuleVersion);
  EXPECT_GE(module->cuda_version, 13000);
  EXPECT_EQ(std::string_view(module->libtorch_version).substr(0, 5), "2.11.");
  EXPECT_GE(module->device_count(), 0);
}

}  // namespace
}  // namespace causeway::decoder
