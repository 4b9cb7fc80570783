// SPDX-License-Identifier: Apache-2.0
// Says how far the decode is: one line on a terminal that is written again and again, plain lines
// now and then elsewhere.
#pragma once

#include <chrono>
#include <cstdint>
#include <iosfwd>

namespace causeway::cli {

/// Where progress goes.
struct ProgressTarget {
  std::ostream* stream = nullptr;  // null: nowhere
  bool is_terminal = false;
};

class Progress {
 public:
  using Clock = std::chrono::steady_clock;

  /// Elsewhere than on a terminal, a decode of less than this says nothing.
  static constexpr std::chrono::seconds kPlainInterval{10};

  Progress(const ProgressTarget& target, std::int64_t frames, Clock::time_point now)
      : target_(target),
        frames_(frames),
        shown_at_(target.is_terminal ? Clock::time_point() : now) {}
  /// Wipes a terminal's line.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Shows that `done` frames are there: ten times a second at most on a terminal.
  void Update(std::int64_t done, Clock::time_point now);

 private:
  ProgressTarget target_;
  std::int64_t frames_;
  Clock::time_point shown_at_;
};

}  // namespace causeway::cli
