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
#include "server/scheduler/scheduler.h"

namespace causeway {

// ---- in -------------------------------------------------------------------------------------

struct TimingRequest {
  int timebase_num = 0;  // both 0: no pts arithmetic
  int timebase_den = 0;
  double target_fps = 0;  // 0: unknown
  int max_lateness_ms = 0;
};

enum class DeliveryMode { kBlock, kDropOldest };

struct DeliveryRequest {
  DeliveryMode mode = DeliveryMode::kBlock;
  int initial_frame_credits = 0;  // 0: the default
};

enum class Priority { kInteractive, kStandard, kBatch };
inline constexpr int kPriorityCount = 3;

/// "interactive", "standard", "batch".
constexpr const char* PriorityName(Priority priority) {
  constexpr const char* kNames[kPriorityCount] = {"interactive", "standard", "batch"};
  return kNames[static_cast<int>(priority)];
}

struct OpenRequest {
  StreamSpec spec;
  int fragment_bytes = 0;  // 0: the default
  std::string client_ref;
  bool wants_kernel_timing = false;
  TimingRequest timing;
  std::optional<DeliveryRequest> delivery;  // absent: no frame credits
  Priority priority = Priority::kStandard;
  bool has_checksums = false;  // CRC-32C of every payload, both ways
};

/// One message: a whole chunk, or a fragment of one.
struct ChunkRequest {
  std::uint64_t seq = 0;
  int latents = 0;
  std::string payload;
  std::int64_t pts = 0;
  std::int64_t deadline_us = 0;  // after arrival; 0: none
  bool resets_before = false;
  int fragment_index = 0;
  int fragment_count = 0;  // 0: as 1
  std::uint32_t crc32c = 0;
};

struct PingRequest {
  std::string payload;
  std::int64_t client_time_ns = 0;
};

// ---- out ------------------------------------------------------------------------------------

struct StreamLimits {
  int max_chunk_latents = 0;
  int max_message_bytes = 0;
  int max_pending_chunks = 0;
  std::int64_t max_pending_bytes = 0;
  int max_frame_credits = 0;
};

struct OpenedOutput {
  std::string session_id;
  StreamFacts facts;
  StreamLimits limits;
  int frame_credits = 0;  // 0: no credits in force
  std::chrono::milliseconds idle_timeout{0};
};

struct ChunkAcceptedOutput {
  std::uint64_t chunk_seq = 0;
  std::uint64_t first_frame_index = 0;
  int frame_count = 0;
  int queued_latents = 0;
  std::uint64_t epoch = 0;
};

/// The pixels of one latent's frames, shared by the fragments that are cut from it.
using SharedPixels = std::shared_ptr<const std::vector<std::byte>>;

struct FragmentOutput {
  std::uint64_t frame_index = 0;
  std::uint64_t chunk_seq = 0;
  std::uint64_t epoch = 0;
  int index = 0;
  int count = 1;
  bool is_last_of_chunk = false;
  bool is_late = false;
  bool has_checksum = false;  // to be computed by who writes it
  std::int64_t pts = 0;
  std::optional<Clock::time_point> due;  // by the chunk's own deadline
  std::span<const std::byte> payload;    // inside *pixels
  SharedPixels pixels;
};

/// For want of a reader: the only reason there is.
struct FrameDroppedOutput {
  std::uint64_t frame_index = 0;
  std::uint64_t chunk_seq = 0;
};

struct ChunkTiming {
  std::chrono::nanoseconds queue{0};
  std::chrono::nanoseconds decode{0};
  std::chrono::nanoseconds pack{0};
  std::chrono::nanoseconds send{0};
  std::chrono::nanoseconds receive{0};
  std::chrono::nanoseconds credit_wait{0};  // until it is taken: the session's before the chunk
  std::chrono::nanoseconds total{0};
};

struct ChunkDoneOutput {
  std::uint64_t chunk_seq = 0;
  std::uint64_t first_frame_index = 0;
  int frame_count = 0;
  ChunkTiming timing;
  std::optional<decoder::StepTimes> kernel_times;  // where Open asked for them
  Clock::time_point arrival;                       // of its last message
  std::int64_t input_bytes = 0;                    // of its messages
};

struct ChunkErrorOutput {
  std::uint64_t chunk_seq = 0;
  Failure failure;
  std::int64_t input_bytes = 0;  // of its messages that had arrived
};

struct InputCreditOutput {
  int chunks = 0;
  std::int64_t bytes = 0;
};

struct NoticeOutput {
  enum class Kind { kIdleWarning, kGoAway };
  Kind kind = Kind::kIdleWarning;
  std::chrono::milliseconds deadline{0};
  int replay_latents = 0;  // kGoAway
};

struct PongOutput {
  PingRequest ping;
  Clock::time_point server_time;
};

/// Totals of a session. Bytes count payloads.
struct SummaryOutput {
  std::uint64_t chunks = 0;
  std::uint64_t latents = 0;
  std::uint64_t frames = 0;  // decoded; those dropped included
  std::uint64_t chunk_errors = 0;
  std::int64_t bytes_in = 0;
  std::int64_t bytes_out = 0;
  std::chrono::nanoseconds decode{0};
  std::uint64_t frames_dropped = 0;
  std::uint64_t frames_late = 0;
  std::uint64_t resets = 0;
};

/// The last output of every stream: how it ended.
struct EndOutput {
  enum class Outcome { kOk, kFailed, kCancelled };
  Outcome outcome = Outcome::kOk;
  Failure failure;  // where it failed
};

using Output = std::variant<OpenedOutput, ChunkAcceptedOutput, FragmentOutput, FrameDroppedOutput,
                            ChunkDoneOutput, ChunkErrorOutput, InputCreditOutput, NoticeOutput,
                            PongOutput, SummaryOutput, EndOutput>;

}  // namespace causeway
