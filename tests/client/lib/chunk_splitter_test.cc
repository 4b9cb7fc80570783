// SPDX-License-Identifier: Apache-2.0
#include "client/lib/chunk_splitter.h"

#include <gtest/gtest.h>

#include "server/base/crc32c.h"

namespace causeway::client {
namespace {

// Two channels of five latents; a plane is two bytes: the channel's letter and the latent's number.
constexpr char kCthw[] = "a0a1a2a3a4b0b1b2b3b4";
constexpr char kTchw[] = "a0b0a1b1a2b2a3b3a4b4";

v1::FrameRule Rule() {
  v1::FrameRule rule;
  rule.set_first_latent_frames(1);
  rule.set_per_latent_frames(4);
  return rule;
}

std::vector<Latents> Split(const char* payload, v1::Axes axes, int most) {
  return SplitLatents({5, payload, 0, 0}, most, 2, axes, Rule(), true, {});
}

TEST(ChunkSplitter, CutsLatentsOfEitherOrderOfAxes) {
  const std::vector<Latents> cthw = Split(kCthw, v1::AXES_CTHW, 2);
  ASSERT_EQ(cthw.size(), 3u);
  EXPECT_EQ(cthw[0].payload, "a0a1b0b1");
  EXPECT_EQ(cthw[1].payload, "a2a3b2b3");
  EXPECT_EQ(cthw[2].payload, "a4b4");
  EXPECT_EQ(cthw[2].count, 1);
  const std::vector<Latents> tchw = Split(kTchw, v1::AXES_TCHW, 3);
  ASSERT_EQ(tchw.size(), 2u);
  EXPECT_EQ(tchw[0].payload, "a0b0a1b1a2b2");
  EXPECT_EQ(tchw[1].payload, "a3b3a4b4");
}

TEST(ChunkSplitter, LeavesWhatFitsAsItIs) {
  const std::vector<Latents> whole = Split(kCthw, v1::AXES_CTHW, 5);
  ASSERT_EQ(whole.size(), 1u);
  EXPECT_EQ(whole[0].payload, kCthw);
}

TEST(ChunkSplitter, MovesPtsOnByTheFramesBefore) {
  v1::Timing timing;
  timing.set_timebase_num(1);
  timing.set_timebase_den(90000);
  timing.set_target_fps(25);
  for (const bool is_first : {true, false}) {
    const auto parts =
        SplitLatents({5, kCthw, 1000, 7}, 2, 2, v1::AXES_CTHW, Rule(), is_first, timing);
    const int shortfall = is_first ? 3 : 0;
    ASSERT_EQ(parts.size(), 3u);
    EXPECT_EQ(parts[0].pts, 1000);
    EXPECT_EQ(parts[1].pts, 1000 + 3600 * (8 - shortfall));
    EXPECT_EQ(parts[2].pts, 1000 + 3600 * (16 - shortfall));
    EXPECT_EQ(parts[2].deadline_us, 7);
  }
}

TEST(ChunkSplitter, MakesOneMessageOfAChunkThatFits) {
  const auto messages = ChunkMessages(3, {2, "12345678", 9, 11}, 8, false);
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_EQ(messages[0].chunk_seq(), 3u);
  EXPECT_EQ(messages[0].latents(), 2);
  EXPECT_EQ(messages[0].pts(), 9);
  EXPECT_EQ(messages[0].deadline_us(), 11);
  EXPECT_FALSE(messages[0].has_fragment());
  EXPECT_EQ(messages[0].payload(), "12345678");
  EXPECT_EQ(messages[0].crc32c(), 0u);
}

TEST(ChunkSplitter, MakesFragmentsThatAddUpAndCarryTheirOwnChecksums) {
  const auto messages = ChunkMessages(3, {2, "12345678", 9, 0}, 3, true);
  ASSERT_EQ(messages.size(), 3u);
  std::string payload;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    EXPECT_EQ(messages[i].chunk_seq(), 3u);
    EXPECT_EQ(messages[i].fragment().index(), static_cast<int>(i));
    EXPECT_EQ(messages[i].fragment().count(), 3);
    EXPECT_LE(messages[i].payload().size(), 3u);
    EXPECT_EQ(messages[i].crc32c(), Crc32c(std::as_bytes(std::span(messages[i].payload()))));
    payload += messages[i].payload();
  }
  EXPECT_EQ(payload, "12345678");
  EXPECT_EQ(messages[0].latents(), 2);
}

}  // namespace
}  // namespace causeway::client
