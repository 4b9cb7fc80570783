// SPDX-License-Identifier: Apache-2.0
#include "server/session/capacity.h"

#include <string>

namespace causeway {

Reservation& Reservation::operator=(Reservation&& other) noexcept {
  Reservation taken(std::move(other));
  std::swap(ledger_, taken.ledger_);
  std::swap(bytes_, taken.bytes_);
  return *this;
}

Reservation::~Reservation() {
  if (ledger_ != nullptr) ledger_->Release(bytes_);
}

Result<Reservation> CapacityLedger::Reserve(std::int64_t bytes) {
  const std::lock_guard lock(mutex_);
  if (sessions_ >= max_sessions_) {
    const std::string all = std::to_string(max_sessions_);
    return Failure{Reason::kNoCapacitySessions, "no free session: all " + all + " are in use",
                   "sessions", std::to_string(sessions_ + 1), all};
  }
  if (bytes > max_bytes_ - bytes_) {
    const std::string got = std::to_string(bytes);
    const std::string free = std::to_string(max_bytes_ - bytes_);
    return Failure{Reason::kNoCapacityBytes,
                   "no room for " + got + " bytes of decoder state: " + free + " of " +
                       std::to_string(max_bytes_) + " bytes are free",
                   "reserved_bytes", got, free};
  }
  ++sessions_;
  bytes_ += bytes;
  return Reservation(this, bytes);
}

int CapacityLedger::sessions() const {
  const std::lock_guard lock(mutex_);
  return sessions_;
}

std::int64_t CapacityLedger::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

void CapacityLedger::Release(std::int64_t bytes) {
  const std::lock_guard lock(mutex_);
  --sessions_;
  bytes_ -= bytes;
}

}  // namespace causeway
