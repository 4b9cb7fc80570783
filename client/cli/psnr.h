// SPDX-License-Identifier: Apache-2.0
// Peak signal-to-noise ratio of 8-bit pictures: 10 log10(255^2 / mean square error), in dB.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace causeway::cli {

/// Figures over frames; a value is infinite where nothing differs.
struct PsnrSummary {
  std::int64_t frames = 0;
  double overall_db = 0;  // from the mean square error over all frames
  double first_db = 0;
  double worst_db = 0;
  double best_db = 0;
  double last_db = 0;
};

class Psnr {
 public:
  /// Adds a pair of frames of the same size, u8. Throws std::invalid_argument where they differ.
  void Add(std::span<const std::byte> frame, std::span<const std::byte> reference);

  /// Nothing where no frame was added.
  std::optional<PsnrSummary> Summary() const;

 private:
  std::vector<double> mean_square_errors_;  // one a frame; all frames have the same size
};

}  // namespace causeway::cli
