// SPDX-License-Identifier: Apache-2.0
#include "client/lib/input_credits.h"

#include <algorithm>
#include <limits>

#include "client/lib/decode_error.h"

namespace causeway::client {
namespace {

constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();

}  // namespace

InputCredits::InputCredits(const v1::Opened& opened)
    : is_first_version_(!opened.has_input_credits()) {
  if (is_first_version_) {
    chunks_ = opened.limits().max_pending_chunks();
    max_bytes_ = kUnlimited;
  } else {
    chunks_ = opened.input_credits().chunks();
    max_bytes_ = opened.input_credits().bytes();
  }
  bytes_ = max_bytes_;
}

void InputCredits::Spend(std::int64_t bytes) {
  --chunks_;
  if (!is_first_version_) bytes_ -= bytes;
}

void InputCredits::Regain(const v1::InputCredit& credit) {
  if (credit.chunks() < 0 || credit.bytes() < 0) {
    throw ErrorInAnswer(Reason::kInternalBug, "InputCredit of " + std::to_string(credit.chunks()) +
                                                  " chunks and " + std::to_string(credit.bytes()) +
                                                  " bytes: credits are not negative");
  }
  chunks_ += credit.chunks();
  bytes_ += std::min(credit.bytes(), kUnlimited - bytes_);
  max_bytes_ = std::max(max_bytes_, bytes_);
}

void InputCredits::Answered() {
  if (is_first_version_) ++chunks_;
}

}  // namespace causeway::client
