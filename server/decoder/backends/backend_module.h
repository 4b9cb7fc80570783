// SPDX-License-Identifier: Apache-2.0
// The interface between the programs and a backend that is a module: a shared library of its own,
// opened at run time, so that one build of the server runs with and without a GPU. Plain C types
// only: the two sides may come from different builds, and the version decides before anything else
// is read.
#pragma once

#include <cstdint>

namespace causeway::decoder {

/// Changes with every change of BackendModule's layout or meaning.
inline constexpr std::int32_t kBackendModuleVersion = 1;

/// What a module tells about itself. All strings are static, zero-terminated and never null.
struct BackendModule {
  std::int32_t version;            // kBackendModuleVersion of the module's build; always first
  std::int32_t cuda_version;       // of the toolkit it was built with, 1000 major + 10 minor
  const char* libtorch_version;    // that it was built with, for example "2.11.0"
  std::int32_t (*device_count)();  // usable CUDA devices now, 0 without one; never throws
};

/// The name under which a module exports a BackendModuleFunction, for dlsym.
inline constexpr char kBackendModuleSymbol[] = "causeway_backend_module";

/// Returns the module's facts; they live as long as the module is open. Thread-safe.
using BackendModuleFunction = const BackendModule* (*)();

}  // namespace causeway::decoder
