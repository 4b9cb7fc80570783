// SPDX-License-Identifier: Apache-2.0
// What `causeway decode` says at the end.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "client/cli/percentiles.h"
#include "client/cli/psnr.h"

namespace causeway::cli {

struct ComparisonResult {
  std::string role;  // "source" or "reference"
  std::string path;
  std::optional<PsnrSummary> psnr;
};

struct KernelRow {
  std::string category;
  std::string block;
  std::int64_t ns = 0;
  std::int64_t launches = 0;
};

struct DecodeReport {
  std::string model;
  std::string backend;
  std::string pixel_format;
  int height = 0;
  int width = 0;
  std::int64_t latents = 0;
  std::int64_t frames = 0;                   // that came
  std::int64_t frames_late = 0;              // of them, by --pace
  std::vector<std::int64_t> dropped_frames;  // indices of those that did not come
  std::int64_t chunks = 0;
  std::int64_t chunk_latents = 0;   // of a whole chunk
  std::int64_t pending_chunks = 0;  // at most sent and not yet answered
  std::string delivery;             // "block" or "drop-oldest"
  std::int32_t frame_credits = 0;   // 0: a first-version server, which has none
  bool has_checksums = false;
  double open_s = 0;         // connect, Open to Opened
  double first_frame_s = 0;  // first chunk sent to first frame
  double total_s = 0;        // first chunk sent to last frame
  double decode_s = 0;       // in the decoder, by the server's clock
  std::optional<Percentiles> chunk_latency_s;
  std::optional<Percentiles> queue_s;  // of a chunk, by the server's clock
  std::optional<Percentiles> latent_latency_s;
  std::optional<Percentiles> round_trip_s;
  std::vector<ComparisonResult> comparisons;
  std::vector<KernelRow> kernel;  // by category and block
  std::vector<std::string> files;

  double frames_per_second() const {
    return total_s > 0 ? static_cast<double>(frames) / total_s : 0;
  }
};

/// Ten-odd lines for people.
void PrintText(const DecodeReport& report, std::ostream& out);

/// One JSON object. Seconds, dB, nanoseconds; an infinite PSNR is null beside "identical": true.
void PrintJson(const DecodeReport& report, std::ostream& out);

}  // namespace causeway::cli
