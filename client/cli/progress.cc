// SPDX-License-Identifier: Apache-2.0
#include "client/cli/progress.h"

#include <ostream>

namespace causeway::cli {

void Progress::Update(std::int64_t done) {
  if (terminal_ == nullptr) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - shown_at_ < std::chrono::milliseconds(100)) return;
  shown_at_ = now;
  constexpr std::int64_t kCells = 30;
  *terminal_ << "\r[";
  for (std::int64_t i = 0; i < kCells; ++i) *terminal_ << (i * frames_ < done * kCells ? '#' : ' ');
  *terminal_ << "] " << done << "/" << frames_ << " frames" << std::flush;
}

Progress::~Progress() {
  if (terminal_ != nullptr) *terminal_ << "\r\033[K" << std::flush;
}

}  // namespace causeway::cli
