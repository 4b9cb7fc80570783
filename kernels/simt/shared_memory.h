// SPDX-License-Identifier: Apache-2.0
// The shared memory of one block: its bytes, which of them are written, and who last wrote and read
// each 4-byte word. Addresses are offsets from its start. Every access is checked before it is
// made.
//
// Two accesses below 4 bytes to one word are never called a race with each other: halves of a word
// may have different owners.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/simt/knowledge.h"
#include "kernels/simt/thread_context.h"

namespace causeway::kernels::simt {

class Machine;
struct Block;
struct Mbarrier;
struct Thread;

struct WriteRecord {
  Clock clock;
  uint16_t agent;
  uint16_t flags;  // kSubWord, kAtomic
};
inline constexpr uint16_t kSubWord = 1;
inline constexpr uint16_t kAtomic = 2;

class SharedMemory {
 public:
  /// Empty and poisoned. `readers`: rows of read records, one a warp and one a warpgroup of the
  /// cluster.
  void Reset(Machine* machine, Block* block, int64_t bytes, int readers);

  int64_t bytes() const { return bytes_; }
  std::byte* data() const { return data_; }

  // ---- Generic proxy, by one thread. `bytes` is a power of two up to 16, the alignment too.

  void Read(Thread& thread, int64_t offset, int bytes, void* to, const char* what,
            const Site& site);
  void Write(Thread& thread, int64_t offset, int bytes, const void* from, const char* what,
             const Site& site);
  /// An atomic addition; returns what was there.
  int Add(Thread& thread, int64_t offset, int value, const Site& site);
  /// One row of ldmatrix: as Read, but by all lanes of the warp.
  const std::byte* ReadRow(Thread& thread, int64_t offset, const char* what, const Site& site);

  // ---- Asynchronous writes. Between Begin and Land the bytes are poison.

  /// Checks the range against earlier accesses as a write by `thread`, and stamps it as in flight
  /// by `agent`. `offset` and `bytes` are multiples of 16.
  void BeginWrite(Thread& thread, int64_t offset, int64_t bytes, int agent, const char* what,
                  const Site& site);
  void Land(int64_t offset, int64_t bytes, const void* from);  // from null: zeros
  void Stamp(int64_t offset, int64_t bytes, int agent, Clock clock);

  // ---- Asynchronous reads by the async proxy (wgmma), a core matrix row block at a time.

  /// Checks 16 * n bytes as a read by `thread` in the async proxy.
  void CheckAsyncRead(Thread& thread, int64_t offset, int64_t bytes, const char* what,
                      const Site& site);
  void StampRead(int64_t offset, int64_t bytes, int reader, Clock clock);

  // ---- mbarriers live in shared memory; touching them otherwise is an error.

  Mbarrier* BarrierAt(int64_t offset) const;
  void PlaceBarrier(Thread& thread, int64_t offset, Mbarrier* barrier, const Site& site);
  void RemoveBarrier(int64_t offset);
  /// Checks that `thread` comes after the initialisation of the barrier at `offset`.
  void CheckBarrierVisible(Thread& thread, int64_t offset, const Site& site);
  const WriteRecord& RecordAt(int64_t offset) const {
    return writes_[static_cast<size_t>(offset / 4)];
  }

 private:
  void CheckRange(int64_t offset, int64_t bytes, int64_t alignment, const char* what,
                  const Site& site);
  void CheckNoBarrier(int64_t offset, int64_t bytes, const char* what, const Site& site);
  /// That `thread` comes after whoever wrote the words last.
  void CheckLastWriters(Thread& thread, int64_t offset, int64_t bytes, uint16_t flags,
                        const char* what, const Site& site);
  void CheckReadable(Thread& thread, int64_t offset, int64_t bytes, uint16_t flags,
                     const char* what, const Site& site);
  void CheckWritable(Thread& thread, int64_t offset, int64_t bytes, uint16_t flags,
                     const char* what, const Site& site);
  void CheckRowWritable(Thread& thread, int reader, const uint32_t* row, int64_t offset,
                        int64_t bytes, uint16_t flags, const char* what, const Site& site);
  bool IsWritten(int64_t offset, int64_t bytes) const;
  void SetWritten(int64_t offset, int64_t bytes, bool written);
  uint32_t* ReadRowOf(int reader);
  std::string At(int64_t offset) const;

  Machine* machine_ = nullptr;
  Block* block_ = nullptr;
  int64_t bytes_ = 0;
  std::vector<std::byte> storage_;
  std::byte* data_ = nullptr;
  std::vector<uint64_t> written_;  // one bit a byte
  std::vector<WriteRecord> writes_;
  // [reader][word]: clock << 6 | lane, lane 32 for all lanes; 0 for none. Rows are empty until
  // used.
  std::vector<std::vector<uint32_t>> reads_;
  std::vector<Mbarrier*> barriers_;  // by 8 bytes
  int live_barriers_ = 0;
};

}  // namespace causeway::kernels::simt
