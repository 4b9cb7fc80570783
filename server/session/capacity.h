// SPDX-License-Identifier: Apache-2.0
// The ledger of admission: how many sessions there are and how many bytes of decoder state they
// hold. A session reserves its state before its first latent and gives it back when it ends; nobody
// who was admitted runs out of memory, and nobody is evicted.
#pragma once

#include <cstdint>
#include <mutex>
#include <utility>

#include "server/base/result.h"

namespace causeway {

class CapacityLedger;

/// A share of the ledger, given back when this is destroyed. Movable, never copied.
class Reservation {
 public:
  Reservation(Reservation&& other) noexcept
      : ledger_(std::exchange(other.ledger_, nullptr)), bytes_(other.bytes_) {}
  Reservation& operator=(Reservation&& other) noexcept;
  ~Reservation();

  std::int64_t bytes() const { return bytes_; }

 private:
  friend class CapacityLedger;
  Reservation(CapacityLedger* ledger, std::int64_t bytes) : ledger_(ledger), bytes_(bytes) {}

  CapacityLedger* ledger_;
  std::int64_t bytes_;
};

/// Thread-safe. Must outlive its reservations.
class CapacityLedger {
 public:
  CapacityLedger(int max_sessions, std::int64_t max_bytes)
      : max_sessions_(max_sessions), max_bytes_(max_bytes) {}
  CapacityLedger(const CapacityLedger&) = delete;
  CapacityLedger& operator=(const CapacityLedger&) = delete;

  /// Takes one session of `bytes` (at least 0), or fails with kNoCapacitySessions or
  /// kNoCapacityBytes and takes nothing.
  Result<Reservation> Reserve(std::int64_t bytes);

  int max_sessions() const { return max_sessions_; }
  std::int64_t max_bytes() const { return max_bytes_; }
  int sessions() const;
  std::int64_t bytes() const;

 private:
  friend class Reservation;
  void Release(std::int64_t bytes);

  const int max_sessions_;
  const std::int64_t max_bytes_;
  mutable std::mutex mutex_;
  int sessions_ = 0;
  std::int64_t bytes_ = 0;
};

}  // namespace causeway
