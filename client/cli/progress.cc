// SPDX-License-Identifier: Apache-2.0
#include "client/cli/progress.h"

#include <ostream>

namespace causeway::cli {

void Progress::Update(std::int64_t done, Clock::time_point now) {
  if (target_.stream == nullptr) return;
  constexpr std::chrono::milliseconds kTerminalInterval(100);
  const Clock::duration interval =
      target_.is_terminal ? Clock::duration(kTerminalInterval) : Clock::duration(kPlainInterval);
  if (now - shown_at_ < interval) return;
  shown_at_ = now;
  std::ostream& out = *target_.stream;
  if (!target_.is_terminal) {
    out << "decoded " << done << " of " << frames_ << " frames" << std::endl;
    return;
  }
  constexpr std::int64_t kCells = 30;
  out << "\r[";
  for (std::int64_t i = 0; i < kCells; ++i) out << (i * frames_ < done * kCells ? '#' : ' ');
  out << "] " << done << "/" << frames_ << " frames" << std::flush;
}

Progress::~Progress() {
  if (target_.stream != nullptr && target_.is_terminal) *target_.stream << "\r\033[K" << std::flush;
}

}  // namespace causeway::cli
