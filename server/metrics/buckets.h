// SPDX-License-Identifier: Apache-2.0
// The bucket edges of the histograms. Edges that an objective is set at (a frame period at 60, 30,
// 25, 16 and 12 frames a second) stand in the list themselves, so that attainment is exact.
#pragma once

#include <vector>

namespace causeway::metrics {

/// Seconds of a frame, a chunk or a step.
inline std::vector<double> FrameBuckets() {
  return {0.002, 0.005, 0.01, 0.016, 0.02, 0.025, 0.033, 0.04, 0.05, 0.0625, 0.083,
          0.1,   0.125, 0.16, 0.2,   0.25, 0.35,  0.5,   0.75, 1,    2,      5};
}

/// Seconds of one kernel category in a step: 25 microseconds doubling, to 26 s, as a step on a CPU
/// can take seconds.
inline std::vector<double> KernelBuckets() {
  std::vector<double> edges;
  double edge = 25e-6;
  for (int index = 0; index < 21; ++index, edge *= 2) edges.push_back(edge);
  return edges;
}

/// Seconds that a frame is early or late.
inline std::vector<double> SlackBuckets() {
  return {0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5};
}

/// Seconds that a session lives: 1 s to 6 h.
inline std::vector<double> LifeBuckets() { return {1, 10, 60, 300, 1800, 7200, 21600}; }

/// Bytes of a message: 64 KiB times 4, to 64 MiB.
inline std::vector<double> MessageBuckets() {
  return {65536, 262144, 1048576, 4194304, 16777216, 67108864};
}

}  // namespace causeway::metrics
