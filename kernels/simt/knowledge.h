// SPDX-License-Identifier: Apache-2.0
// Happens-before, as vector clocks. An agent is something that accesses shared memory: a thread, an
// mbarrier (for the copies that complete on it) or a warpgroup (for its wgmma reads). Every access
// is stamped with its agent's clock; whoever has seen at least that clock of that agent comes after
// the access. Synchronisation hands on what has been seen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace causeway::kernels::simt {

using Clock = uint32_t;

// Clocks have 26 bits, so that a read record can hold a lane beside one.
inline constexpr Clock kClockLimit = (1u << 26) - 2;
/// The stamp of an asynchronous access that has not been waited for: nobody comes after it.
inline constexpr Clock kInFlight = (1u << 26) - 1;

/// For every agent, the newest clock of it that is known. Empty until something is known.
class Knowledge {
 public:
  bool Empty() const { return clocks_.empty(); }
  void Clear() { clocks_.clear(); }
  Clock Of(int agent) const { return clocks_.empty() ? 0 : clocks_[static_cast<size_t>(agent)]; }

  void Learn(int agent, Clock clock, int agents) {
    if (clocks_.empty()) clocks_.assign(static_cast<size_t>(agents), 0);
    Clock& known = clocks_[static_cast<size_t>(agent)];
    if (known < clock) known = clock;
  }
  void LearnAll(int first, int count, Clock clock, int agents) {
    if (clocks_.empty()) clocks_.assign(static_cast<size_t>(agents), 0);
    for (int i = first; i < first + count; ++i) {
      Clock& known = clocks_[static_cast<size_t>(i)];
      known = known < clock ? clock : known;
    }
  }
  void Join(const Knowledge& other) {
    if (other.clocks_.empty()) return;
    if (clocks_.empty()) {
      clocks_ = other.clocks_;
      return;
    }
    // As signed numbers, which they fit: the baseline instruction set compares only those.
    for (size_t i = 0; i < clocks_.size(); ++i) {
      const auto mine = static_cast<int32_t>(clocks_[i]);
      const auto theirs = static_cast<int32_t>(other.clocks_[i]);
      clocks_[i] = static_cast<Clock>(mine < theirs ? theirs : mine);
    }
  }

 private:
  std::vector<Clock> clocks_;
};

}  // namespace causeway::kernels::simt
