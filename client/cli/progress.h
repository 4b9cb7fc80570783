// SPDX-License-Identifier: Apache-2.0
// One line on a terminal that says how far the decode is.
#pragma once

#include <chrono>
#include <cstdint>
#include <iosfwd>

namespace causeway::cli {

class Progress {
 public:
  /// `terminal`: null where there is none; then nothing is written.
  Progress(std::ostream* terminal, std::int64_t frames) : terminal_(terminal), frames_(frames) {}
  /// Wipes the line.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Shows that `done` frames are there, ten times a second at most.
  void Update(std::int64_t done);

 private:
  std::ostream* terminal_;
  std::int64_t frames_;
  std::chrono::steady_clock::time_point shown_at_;
};

}  // namespace causeway::cli
