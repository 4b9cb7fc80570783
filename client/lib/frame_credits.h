// SPDX-License-Identifier: Apache-2.0
// What the server may still send: frames. The window is what it may send without hearing from this
// client; a frame that was consumed gives its place to another one.
#pragma once

#include <cstdint>

namespace causeway::client {

/// The frame credits of one session. Not thread-safe.
class FrameCredits {
 public:
  /// `window`: Opened.frame_credits. 0: the server does not count.
  explicit FrameCredits(std::int32_t window)
      : window_(window), batch_(window > 4 ? window / 4 : 1), granted_(window) {}

  /// Books a frame that came; false where it came without a credit.
  bool Spend() { return window_ == 0 || granted_-- > 0; }

  /// One frame was consumed.
  void Consumed() { ++owed_; }

  /// The credits to grant now. 0 until a quarter of the window is due: one message for several
  /// frames, long before the server runs out.
  std::int32_t TakeDue() {
    if (window_ == 0 || owed_ < batch_) return 0;
    const std::int32_t due = owed_;
    owed_ = 0;
    granted_ += due;
    return due;
  }

 private:
  std::int32_t window_;
  std::int32_t batch_;
  std::int64_t granted_;
  std::int32_t owed_ = 0;
};

}  // namespace causeway::client
