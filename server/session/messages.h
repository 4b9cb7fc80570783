// SPDX-License-Identifier: Apache-2.0
// What goes into a session and what comes out, free of any transport. server/rpc translates from
// and to the messages of proto/causeway/v1/decode.proto, which explains the fields.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "server/base/failure.h"
#include "server/decoder/step_times.h"
#include "server/scheduler/decode_worker.h"

namespace causeway {

// ---- in -------------------------------------------------------------------------------------

struct OpenRequest {
  StreamSpec spec;
  int fragment_bytes = 0;  // 0: the default
  std::string client_ref;
  bool wants_kernel_timing = false;
};

struct ChunkRequest {
  std::uint64_t seq = 0;
  int latents = 0;
  std::string payload;
};

// ---- out ------------------------------------------------------------------------------------

struct StreamLimits {
  int max_chunk_latents = 0;
  int max_message_bytes = 0;
  int max_pending_chunks = 0;
};

struct OpenedOutput {
  std::string session_id;
  StreamFacts facts;
  StreamLimits limits;
};

/// The pixels of one latent's frames, shared by the fragments that are cut from it.
using SharedPixels = std::shared_ptr<const std::vector<std::byte>>;

struct FragmentOutput {
  std::uint64_t frame_index = 0;
  std::uint64_t chunk_seq = 0;
  int index = 0;
  int count = 1;
  bool is_last_of_chunk = false;
  std::span<const std::byte> payload;  // inside *pixels
  SharedPixels pixels;
};

struct ChunkTiming {
  std::chrono::nanoseconds queue{0};
  std::chrono::nanoseconds decode{0};
  std::chrono::nanoseconds pack{0};
  std::chrono::nanoseconds send{0};
};

struct ChunkDoneOutput {
  std::uint64_t chunk_seq = 0;
  std::uint64_t first_frame_index = 0;
  int frame_count = 0;
  ChunkTiming timing;
  std::optional<decoder::StepTimes> kernel_times;  // where Open asked for them
};

struct ChunkErrorOutput {
  std::uint64_t chunk_seq = 0;
  Failure failure;
};

/// Totals of a session. Bytes count payloads.
struct SummaryOutput {
  std::uint64_t chunks = 0;
  std::uint64_t latents = 0;
  std::uint64_t frames = 0;
  std::uint64_t chunk_errors = 0;
  std::int64_t bytes_in = 0;
  std::int64_t bytes_out = 0;
  std::chrono::nanoseconds decode{0};
};

/// The last output of every stream: how it ended.
struct EndOutput {
  enum class Outcome { kOk, kFailed, kCancelled };
  Outcome outcome = Outcome::kOk;
  Failure failure;  // where it failed
};

using Output = std::variant<OpenedOutput, FragmentOutput, ChunkDoneOutput, ChunkErrorOutput,
                            SummaryOutput, EndOutput>;

}  // namespace causeway
