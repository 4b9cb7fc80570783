// SPDX-License-Identifier: Apache-2.0
// What a run measured, as tables and as JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "server/base/json_writer.h"
#include "server/bench/decode_run.h"
#include "server/decoder/models/model_config.h"
#include "server/decoder/types.h"
#include "server/frame/pixel_format.h"

namespace causeway::bench {

struct RunReport {
  decoder::ModelConfig config;
  std::string backend;
  int threads = 0;  // as asked for; 0: one a core
  decoder::Geometry geometry;
  frame::PixelFormat format = frame::PixelFormat::kRgb24;
  std::vector<int> chunks;  // latents of each; they sum to times.latents
  Nanoseconds load{0};      // weights read, checked and prepared
  Nanoseconds open{0};      // of the session: its plan and its cache
  std::int64_t state_bytes = 0;
  std::optional<std::int64_t> peak_resident_bytes;
  RunTimes times;  // of at least one latent
};

/// Frames a second of decoding: latents are read and frames are written off the clock.
double FramesPerSecond(const RunTimes& times);

/// Time in the categories over the sum of the latents' own timestamps: 1 where nothing went
/// untimed.
double TimedShare(const RunTimes& times);

void PrintRun(const RunReport& report, std::ostream& out);

/// One object. Times in milliseconds.
void WriteRun(const RunReport& report, JsonWriter& json);

}  // namespace causeway::bench
