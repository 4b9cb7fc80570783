// SPDX-License-Identifier: Apache-2.0
#include "server/session/chunk_assembler.h"

#include <algorithm>
#include <array>
#include <utility>

namespace causeway {
namespace {

constexpr int kMostFragments = 4096;
constexpr std::int64_t kMostDeadlineUs = 3'600'000'000;
constexpr std::int64_t kMostPts = std::int64_t{1} << 62;

int CountOf(const ChunkRequest& message) { return std::max(message.fragment_count, 1); }

std::int64_t SizeOf(const std::string& payload) {
  return static_cast<std::int64_t>(payload.size());
}

std::string FragmentText(int index, int count) {
  return "fragment " + std::to_string(index) + " of " + std::to_string(count);
}

std::string Hexadecimal(std::uint32_t value) {
  std::array<char, 11> text{};
  std::snprintf(text.data(), text.size(), "0x%08X", value);
  return text.data();
}

Failure BadFragment(const ChunkRequest& message, const std::string& allowed) {
  return BadField(Reason::kBadFragment, "latent_chunk.fragment",
                  FragmentText(message.fragment_index, message.fragment_count) + " of chunk " +
                      std::to_string(message.seq),
                  allowed);
}

Failure WrongSize(std::int64_t got, std::int64_t expected, int latents) {
  return BadField(Reason::kPayloadSizeMismatch, "latent_chunk.payload",
                  std::to_string(got) + " bytes",
                  std::to_string(expected) + " bytes for " + std::to_string(latents) + " latents");
}

}  // namespace

bool ChunkAssembler::IsLeftover(const ChunkRequest& message) const {
  return !is_assembling() && refused_seq_ == message.seq && message.fragment_index > 0;
}

ChunkAssembler::Step ChunkAssembler::Add(ChunkRequest message, std::uint32_t crc32c,
                                         Clock::time_point arrival) {
  std::optional<Failure> refusal = begun_ ? CheckNext(message) : CheckFirst(message);
  if (!refusal) refusal = CheckPayload(message, crc32c);
  if (refusal) {
    refused_seq_ = begun_ ? seq() : message.seq;
    begun_.reset();
    return {std::nullopt, std::move(refusal)};
  }
  const bool is_last = message.fragment_index + 1 == CountOf(message);
  if (begun_) {
    begun_->request.payload += message.payload;
    begun_->last_arrival = arrival;
  } else {
    refused_seq_.reset();
    begun_ = WholeChunk{std::move(message), arrival, arrival};
    next_fragment_ = 0;
  }
  ++next_fragment_;
  if (!is_last) return {};
  Step step{std::move(begun_), std::nullopt};
  begun_.reset();
  return step;
}

std::optional<Failure> ChunkAssembler::CheckFirst(const ChunkRequest& message) const {
  const int count = message.fragment_count;
  if (count < 0 || count > kMostFragments) {
    return BadFragment(message, "a count from 0 to " + std::to_string(kMostFragments));
  }
  if (message.fragment_index != 0) {
    return BadFragment(message, FragmentText(0, count) + " first");
  }
  if (message.latents < 1) {
    return BadField(Reason::kBadOption, "latent_chunk.latents", std::to_string(message.latents),
                    "at least 1");
  }
  const std::int64_t most = CountOf(message) == 1
                                ? rules_.max_chunk_latents
                                : rules_.max_fragmented_bytes / rules_.latent_bytes;
  if (message.latents > most) {
    return BadField(Reason::kChunkTooLong, "latent_chunk.latents", std::to_string(message.latents),
                    "at most " + std::to_string(most));
  }
  if (message.pts > kMostPts || message.pts < -kMostPts) {
    return BadField(Reason::kBadOption, "latent_chunk.pts", std::to_string(message.pts),
                    "from -2^62 to 2^62");
  }
  if (message.deadline_us < 0 || message.deadline_us > kMostDeadlineUs) {
    return BadField(Reason::kBadOption, "latent_chunk.deadline_us",
                    std::to_string(message.deadline_us),
                    "from 0 to " + std::to_string(kMostDeadlineUs));
  }
  return std::nullopt;
}

std::optional<Failure> ChunkAssembler::CheckNext(const ChunkRequest& message) const {
  const int count = begun_->request.fragment_count;
  if (message.seq == seq() && message.fragment_index == next_fragment_ &&
      message.fragment_count == count) {
    return std::nullopt;
  }
  return BadFragment(message,
                     FragmentText(next_fragment_, count) + " of chunk " + std::to_string(seq()));
}

std::optional<Failure> ChunkAssembler::CheckPayload(const ChunkRequest& message,
                                                    std::uint32_t crc32c) const {
  const int latents = begun_ ? begun_->request.latents : message.latents;
  const std::int64_t expected = rules_.latent_bytes * latents;
  const std::int64_t arrived = (begun_ ? bytes() : 0) + SizeOf(message.payload);
  const bool is_last = message.fragment_index + 1 == CountOf(message);
  if (is_last ? arrived != expected : arrived >= expected) {
    return WrongSize(arrived, expected, latents);
  }
  if (rules_.has_checksums && crc32c != message.crc32c) {
    return BadField(Reason::kChecksumMismatch, "latent_chunk.crc32c", Hexadecimal(message.crc32c),
                    Hexadecimal(crc32c) + " for what arrived");
  }
  return std::nullopt;
}

}  // namespace causeway
