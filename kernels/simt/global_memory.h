// SPDX-License-Identifier: Apache-2.0
// The global memory that kernels may touch on the host: buffers register themselves, and every
// access outside of one, or a write to a read-only one, is reported.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace causeway::kernels::simt {

enum class Access { kRead, kReadWrite };

/// Registers [data, data + bytes) for as long as it lives. The memory stays the caller's. `name` is
/// for reports. The registry belongs to the thread of the operating system.
class GlobalBuffer {
 public:
  GlobalBuffer(const void* data, size_t bytes, std::string name, Access access);
  ~GlobalBuffer();
  GlobalBuffer(const GlobalBuffer&) = delete;
  GlobalBuffer& operator=(const GlobalBuffer&) = delete;

 private:
  uint64_t id_;
};

/// The verdict on an access of `bytes` bytes at `address`: empty where it is allowed, else why not.
std::string DescribeForbiddenAccess(const void* address, int64_t bytes, bool write);

/// True where the access is allowed.
bool IsGlobalAccessAllowed(const void* address, int64_t bytes, bool write);

}  // namespace causeway::kernels::simt
