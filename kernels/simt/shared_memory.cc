// SPDX-License-Identifier: Apache-2.0
#include "kernels/simt/shared_memory.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "kernels/simt/machine.h"

namespace causeway::kernels::simt {
namespace {

constexpr uint32_t kLaneBits = 6;
constexpr uint32_t kManyLanes = 32;
constexpr unsigned char kPoison = 0xff;  // a NaN in every float format

std::string Bytes(int64_t bytes) { return std::to_string(bytes) + " bytes of shared memory"; }

std::string NameOfAgent(const Machine& machine, int agent) {
  if (agent < machine.threads) {
    const int block_threads = machine.options.block_threads;
    std::string name = "thread " + std::to_string(agent % block_threads);
    if (machine.options.cluster_blocks > 1) {
      name += " of block rank " + std::to_string(agent / block_threads);
    }
    return name;
  }
  if (agent < machine.threads + kMaxMbarriers) return "a bulk copy";
  return "wgmma";
}

}  // namespace

void SharedMemory::Reset(Machine* machine, Block* block, int64_t bytes, int readers) {
  machine_ = machine;
  block_ = block;
  bytes_ = bytes;
  const auto size = static_cast<size_t>((bytes + 63) / 64 * 64);
  if (storage_.size() < size + 1024) {
    storage_.resize(size + 1024);
    const auto start = reinterpret_cast<uintptr_t>(storage_.data());
    data_ = storage_.data() + ((start + 1023) / 1024 * 1024 - start);
  }
  std::memset(data_, kPoison, size);
  written_.assign(size / 64, 0);
  writes_.assign(size / 4, WriteRecord{});
  reads_.resize(static_cast<size_t>(readers));
  for (std::vector<uint32_t>& row : reads_) std::fill(row.begin(), row.end(), 0);
  barriers_.assign(size / 8, nullptr);
  live_barriers_ = 0;
}

std::string SharedMemory::At(int64_t offset) const { return "at byte " + std::to_string(offset); }

bool SharedMemory::IsWritten(int64_t offset, int64_t bytes) const {
  // `bytes` is a power of two up to 16 and `offset` a multiple of it: one word of the bitmap.
  const uint64_t mask = ((uint64_t{1} << bytes) - 1) << (offset % 64);
  return (written_[static_cast<size_t>(offset / 64)] & mask) == mask;
}

void SharedMemory::SetWritten(int64_t offset, int64_t bytes, bool written) {
  const int64_t step = std::min<int64_t>(bytes, 16);
  for (int64_t at = offset; at < offset + bytes; at += step) {
    const uint64_t mask = ((uint64_t{1} << step) - 1) << (at % 64);
    uint64_t& word = written_[static_cast<size_t>(at / 64)];
    word = written ? word | mask : word & ~mask;
  }
}

uint32_t* SharedMemory::ReadRowOf(int reader) {
  std::vector<uint32_t>& row = reads_[static_cast<size_t>(reader)];
  if (row.size() < writes_.size()) row.resize(writes_.size(), 0);
  return row.data();
}

void SharedMemory::CheckRange(int64_t offset, int64_t bytes, int64_t alignment, const char* what,
                              const Site& site) {
  if (offset % alignment != 0) {
    machine_->FailAt(FailureKind::kMisaligned, site,
                     std::string(what) + " of " + Bytes(bytes) + " " + At(offset) +
                         ", which is not a multiple of " + std::to_string(alignment));
  }
  if (offset < 0 || offset + bytes > bytes_) {
    machine_->FailAt(FailureKind::kOutOfRange, site,
                     std::string(what) + " of " + Bytes(bytes) + " " + At(offset) + " of " +
                         std::to_string(bytes_));
  }
}

void SharedMemory::CheckNoBarrier(int64_t offset, int64_t bytes, const char* what,
                                  const Site& site) {
  for (int64_t at = offset / 8; at <= (offset + bytes - 1) / 8; ++at) {
    if (barriers_[static_cast<size_t>(at)] != nullptr) {
      machine_->FailAt(FailureKind::kInvalidOperand, site,
                       std::string(what) + " " + At(offset) + " touches the mbarrier " +
                           At(at * 8) + ", which has not been invalidated");
    }
  }
}

void SharedMemory::CheckLastWriters(Thread& thread, int64_t offset, int64_t bytes, uint16_t flags,
                                    const char* what, const Site& site) {
  const auto first = static_cast<size_t>(offset / 4);
  const auto last = static_cast<size_t>((offset + bytes - 1) / 4);
  const Clock synced = block_ == thread.block ? block_->synced : 0;
  for (size_t word = first; word <= last; ++word) {
    const WriteRecord& record = writes_[word];
    if (record.clock <= synced && record.agent < machine_->threads) continue;
    if ((record.flags & flags) != 0) continue;  // both of parts of words, or both atomic
    if (machine_->Knows(thread, record.agent, record.clock)) continue;
    const bool is_copy = record.clock == kInFlight || record.agent >= machine_->threads;
    machine_->FailAt(
        is_copy ? FailureKind::kUnfinishedCopy : FailureKind::kRace, site,
        std::string(what) + " of " + Bytes(bytes) + " " + At(offset) +
            (is_copy ? " that an asynchronous copy of " : " that ") +
            NameOfAgent(*machine_, record.agent) +
            (is_copy ? " writes, without waiting for it" : " wrote, with nothing between"));
  }
}

void SharedMemory::CheckReadable(Thread& thread, int64_t offset, int64_t bytes, uint16_t flags,
                                 const char* what, const Site& site) {
  if (live_barriers_ > 0) CheckNoBarrier(offset, bytes, what, site);
  CheckLastWriters(thread, offset, bytes, flags, what, site);
  for (int64_t at = offset; at < offset + bytes; at += 16) {
    if (!IsWritten(at, std::min<int64_t>(bytes, 16))) {
      machine_->FailAt(FailureKind::kPoisonRead, site,
                       std::string(what) + " of " + Bytes(bytes) + " " + At(offset) +
                           ", where nothing has been written");
    }
  }
}

void SharedMemory::CheckRowWritable(Thread& thread, int reader, const uint32_t* row, int64_t offset,
                                    int64_t bytes, uint16_t flags, const char* what,
                                    const Site& site) {
  if ((flags & kSubWord) != 0) return;
  const int warps = machine_->threads / kWarpLanes;
  const Clock synced =
      reader < warps && machine_->warp_storage[static_cast<size_t>(reader)].block == thread.block
          ? thread.block->synced
          : 0;
  const uint32_t limit = (synced << kLaneBits) | (kManyLanes * 2 - 1);
  const auto first = static_cast<size_t>(offset / 4);
  const auto last = static_cast<size_t>((offset + bytes - 1) / 4);
  for (size_t word = first; word <= last; ++word) {
    const uint32_t entry = row[word];
    if (entry <= limit) continue;
    const Clock clock = entry >> kLaneBits;
    const uint32_t lane = entry & (kManyLanes * 2 - 1);
    bool ordered = true;
    int agent = machine_->threads + kMaxMbarriers + reader - warps;
    if (reader >= warps) {
      ordered = machine_->Knows(thread, agent, clock);
    } else if (lane != kManyLanes) {
      agent = reader * kWarpLanes + static_cast<int>(lane);
      ordered = machine_->Knows(thread, agent, clock);
    } else {
      for (int i = 0; i < kWarpLanes && ordered; ++i) {
        agent = reader * kWarpLanes + i;
        ordered = machine_->Knows(thread, agent, clock);
      }
    }
    if (!ordered) {
      machine_->FailAt(
          FailureKind::kRace, site,
          std::string(what) + " of " + Bytes(bytes) + " " + At(offset) + " that " +
              NameOfAgent(*machine_, agent) +
              (clock == kInFlight ? " may still be reading" : " has read, with nothing between"));
    }
  }
}

void SharedMemory::CheckWritable(Thread& thread, int64_t offset, int64_t bytes, uint16_t flags,
                                 const char* what, const Site& site) {
  if (live_barriers_ > 0) CheckNoBarrier(offset, bytes, what, site);
  CheckLastWriters(thread, offset, bytes, flags, what, site);
  for (size_t reader = 0; reader < reads_.size(); ++reader) {
    const std::vector<uint32_t>& row = reads_[reader];
    if (row.empty()) continue;
    CheckRowWritable(thread, static_cast<int>(reader), row.data(), offset, bytes, flags, what,
                     site);
  }
}

void SharedMemory::Read(Thread& thread, int64_t offset, int bytes, void* to, const char* what,
                        const Site& site) {
  CheckRange(offset, bytes, bytes, what, site);
  CheckReadable(thread, offset, bytes, bytes < 4 ? kSubWord : uint16_t{0}, what, site);
  const int warp = thread.agent / kWarpLanes;
  const auto lane = static_cast<uint32_t>(thread.agent % kWarpLanes);
  uint32_t* row = ReadRowOf(warp);
  const Clock clock = thread.warp->clock;
  for (int64_t word = offset / 4; word <= (offset + bytes - 1) / 4; ++word) {
    const uint32_t before = row[word];
    // Two lanes since the last convergence: both have to be waited for.
    const bool many =
        before != 0 && (before & 63) != lane && (before >> kLaneBits) > thread.warp->converged;
    row[word] = clock << kLaneBits | (many ? kManyLanes : lane);
  }
  std::memcpy(to, data_ + offset, static_cast<size_t>(bytes));
}

const std::byte* SharedMemory::ReadRow(Thread& thread, int64_t offset, const char* what,
                                       const Site& site) {
  CheckRange(offset, 16, 16, what, site);
  CheckReadable(thread, offset, 16, 0, what, site);
  uint32_t* row = ReadRowOf(thread.agent / kWarpLanes) + offset / 4;
  const uint32_t entry = thread.warp->clock << kLaneBits | kManyLanes;
  for (int i = 0; i < 4; ++i) row[i] = entry;
  return data_ + offset;
}

void SharedMemory::Write(Thread& thread, int64_t offset, int bytes, const void* from,
                         const char* what, const Site& site) {
  CheckRange(offset, bytes, bytes, what, site);
  const uint16_t flags = bytes < 4 ? kSubWord : uint16_t{0};
  CheckWritable(thread, offset, bytes, flags, what, site);
  const WriteRecord record = {thread.warp->clock, static_cast<uint16_t>(thread.agent), flags};
  for (int64_t word = offset / 4; word <= (offset + bytes - 1) / 4; ++word) {
    writes_[static_cast<size_t>(word)] = record;
  }
  SetWritten(offset, bytes, true);
  std::memcpy(data_ + offset, from, static_cast<size_t>(bytes));
}

int SharedMemory::Add(Thread& thread, int64_t offset, int value, const Site& site) {
  const char* what = "atom.shared.add";
  CheckRange(offset, 4, 4, what, site);
  CheckReadable(thread, offset, 4, kAtomic, what, site);
  CheckWritable(thread, offset, 4, kAtomic, what, site);
  writes_[static_cast<size_t>(offset / 4)] = {thread.warp->clock,
                                              static_cast<uint16_t>(thread.agent), kAtomic};
  int before = 0;
  std::memcpy(&before, data_ + offset, sizeof(before));
  const int after = before + value;
  std::memcpy(data_ + offset, &after, sizeof(after));
  return before;
}

void SharedMemory::BeginWrite(Thread& thread, int64_t offset, int64_t bytes, int agent,
                              const char* what, const Site& site) {
  CheckRange(offset, bytes, 16, what, site);
  CheckWritable(thread, offset, bytes, 0, what, site);
  Stamp(offset, bytes, agent, kInFlight);
  SetWritten(offset, bytes, false);
  std::memset(data_ + offset, kPoison, static_cast<size_t>(bytes));
}

void SharedMemory::Land(int64_t offset, int64_t bytes, const void* from) {
  SetWritten(offset, bytes, true);
  if (from != nullptr) {
    std::memcpy(data_ + offset, from, static_cast<size_t>(bytes));
  } else {
    std::memset(data_ + offset, 0, static_cast<size_t>(bytes));
  }
}

void SharedMemory::Stamp(int64_t offset, int64_t bytes, int agent, Clock clock) {
  const WriteRecord record = {clock, static_cast<uint16_t>(agent), 0};
  std::fill_n(writes_.begin() + offset / 4, bytes / 4, record);
}

void SharedMemory::CheckAsyncRead(Thread& thread, int64_t offset, int64_t bytes, const char* what,
                                  const Site& site) {
  CheckRange(offset, bytes, 16, what, site);
  CheckReadable(thread, offset, bytes, 0, what, site);
  for (int64_t word = offset / 4; word < (offset + bytes) / 4; ++word) {
    const WriteRecord& record = writes_[static_cast<size_t>(word)];
    if (record.agent >= machine_->threads) continue;
    if (record.clock > machine_->thread_storage[record.agent].proxy_fence) {
      machine_->FailAt(FailureKind::kMissingProxyFence, site,
                       std::string(what) + " reads shared memory " + At(word * 4) + " that " +
                           NameOfAgent(*machine_, record.agent) +
                           " wrote, without fence.proxy.async between");
    }
  }
}

void SharedMemory::StampRead(int64_t offset, int64_t bytes, int reader, Clock clock) {
  std::fill_n(ReadRowOf(reader) + offset / 4, bytes / 4, clock << kLaneBits | kManyLanes);
}

Mbarrier* SharedMemory::BarrierAt(int64_t offset) const {
  if (offset < 0 || offset % 8 != 0 || offset + 8 > bytes_) return nullptr;
  return barriers_[static_cast<size_t>(offset / 8)];
}

void SharedMemory::PlaceBarrier(Thread& thread, int64_t offset, Mbarrier* barrier,
                                const Site& site) {
  CheckRange(offset, 8, 8, "mbarrier.init", site);
  CheckWritable(thread, offset, 8, 0, "mbarrier.init", site);
  Stamp(offset, 8, thread.agent, thread.warp->clock);
  SetWritten(offset, 8, false);
  barriers_[static_cast<size_t>(offset / 8)] = barrier;
  ++live_barriers_;
}

void SharedMemory::RemoveBarrier(int64_t offset) {
  barriers_[static_cast<size_t>(offset / 8)] = nullptr;
  --live_barriers_;
}

void SharedMemory::CheckBarrierVisible(Thread& thread, int64_t offset, const Site& site) {
  const WriteRecord& record = RecordAt(offset);
  if (machine_->Knows(thread, record.agent, record.clock)) return;
  machine_->FailAt(FailureKind::kRace, site,
                   "uses the mbarrier " + At(offset) + " that " +
                       NameOfAgent(*machine_, record.agent) + " initialised, with nothing between");
}

}  // namespace causeway::kernels::simt
