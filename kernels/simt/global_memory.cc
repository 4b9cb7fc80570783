// SPDX-License-Identifier: Apache-2.0
#include "kernels/simt/global_memory.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace causeway::kernels::simt {
namespace {

struct Registration {
  uintptr_t begin;
  uintptr_t end;
  bool writable;
  std::string name;
  uint64_t id;
};

struct Registry {
  std::vector<Registration> buffers;
  size_t last = 0;  // the buffer of the last access: mostly that of the next one
  uint64_t next_id = 1;
};

Registry& ThisThreadsRegistry() {
  thread_local Registry registry;
  return registry;
}

bool Allows(const Registration& buffer, uintptr_t begin, int64_t bytes, bool write) {
  return begin >= buffer.begin && begin + static_cast<uintptr_t>(bytes) <= buffer.end &&
         (buffer.writable || !write);
}

}  // namespace

GlobalBuffer::GlobalBuffer(const void* data, size_t bytes, std::string name, Access access) {
  Registry& registry = ThisThreadsRegistry();
  const auto begin = reinterpret_cast<uintptr_t>(data);
  id_ = registry.next_id++;
  registry.buffers.push_back(
      {begin, begin + bytes, access == Access::kReadWrite, std::move(name), id_});
}

GlobalBuffer::~GlobalBuffer() {
  Registry& registry = ThisThreadsRegistry();
  registry.last = 0;
  registry.buffers.erase(std::find_if(registry.buffers.begin(), registry.buffers.end(),
                                      [this](const Registration& b) { return b.id == id_; }));
}

bool IsGlobalAccessAllowed(const void* address, int64_t bytes, bool write) {
  Registry& registry = ThisThreadsRegistry();
  const auto begin = reinterpret_cast<uintptr_t>(address);
  const size_t count = registry.buffers.size();
  if (registry.last < count && Allows(registry.buffers[registry.last], begin, bytes, write)) {
    return true;
  }
  for (size_t i = 0; i < count; ++i) {
    if (Allows(registry.buffers[i], begin, bytes, write)) {
      registry.last = i;
      return true;
    }
  }
  return false;
}

std::string DescribeForbiddenAccess(const void* address, int64_t bytes, bool write) {
  const std::string what =
      (write ? "writes " : "reads ") + std::to_string(bytes) + " bytes of global memory ";
  const auto begin = reinterpret_cast<uintptr_t>(address);
  const Registration* nearest = nullptr;
  uintptr_t least = ~uintptr_t{0};
  for (const Registration& buffer : ThisThreadsRegistry().buffers) {
    if (begin >= buffer.begin && begin + static_cast<uintptr_t>(bytes) <= buffer.end) {
      return what + "in '" + buffer.name + "', which is read-only";
    }
    const uintptr_t distance = begin >= buffer.end    ? begin - buffer.end
                               : begin < buffer.begin ? buffer.begin - begin
                                                      : 0;
    if (distance < least) {
      least = distance;
      nearest = &buffer;
    }
  }
  if (nearest == nullptr) return what + "while no buffer is registered";
  const int64_t offset = static_cast<int64_t>(begin - nearest->begin);
  return what + "at byte " + std::to_string(offset) + " of '" + nearest->name + "', which has " +
         std::to_string(nearest->end - nearest->begin);
}

}  // namespace causeway::kernels::simt
