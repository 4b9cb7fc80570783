// SPDX-License-Identifier: Apache-2.0
#include "server/session/output_queue.h"

#include <memory>
#include <vector>

#include <gtest/gtest.h>

namespace causeway {
namespace {

using std::chrono::milliseconds;

const Clock::time_point kStart{};

FragmentOutput FrameOf(int bytes, std::uint64_t frame_index) {
  auto pixels = std::make_shared<std::vector<std::byte>>();
  for (int index = 0; index < bytes; ++index) pixels->push_back(static_cast<std::byte>(index));
  FragmentOutput frame;
  frame.frame_index = frame_index;
  frame.payload = *pixels;
  frame.pixels = pixels;
  return frame;
}

FragmentOutput TakeFragment(OutputQueue& queue) {
  const std::optional<Output> output = queue.Take(kStart);
  EXPECT_TRUE(output && std::holds_alternative<FragmentOutput>(*output));
  return std::get<FragmentOutput>(*output);
}

TEST(OutputQueue, CutsAFrameIntoFragmentsThatCoverItOnce) {
  for (const int bytes : {1, 6, 7, 8, 14, 20}) {
    OutputQueue queue;
    queue.set_fragment_bytes(7);
    const FragmentOutput frame = FrameOf(bytes, 3);
    queue.PushFrame(frame);
    const int count = (bytes + 6) / 7;
    std::vector<std::byte> joined;
    for (int index = 0; index < count; ++index) {
      const FragmentOutput fragment = TakeFragment(queue);
      EXPECT_EQ(fragment.index, index);
      EXPECT_EQ(fragment.count, count);
      EXPECT_EQ(fragment.frame_index, 3u);
      EXPECT_LE(fragment.payload.size(), 7u);
      joined.insert(joined.end(), fragment.payload.begin(), fragment.payload.end());
    }
    EXPECT_EQ(joined, *frame.pixels);
    EXPECT_FALSE(queue.Take(kStart));
  }
}

TEST(OutputQueue, AFrameWaitsUntilItsLastFragmentIsTaken) {
  OutputQueue queue;
  queue.set_fragment_bytes(4);
  queue.PushFrame(FrameOf(8, 0));
  queue.PushFrame(FrameOf(8, 1));
  EXPECT_EQ(queue.waiting_frames(), 2);
  TakeFragment(queue);
  EXPECT_EQ(queue.waiting_frames(), 2);
  TakeFragment(queue);
  EXPECT_EQ(queue.waiting_frames(), 1);
}

TEST(OutputQueue, ChunkDoneCarriesTheTimeSinceTheFirstFragmentOfItsChunk) {
  OutputQueue queue;
  queue.set_fragment_bytes(4);
  queue.PushFrame(FrameOf(8, 0));
  queue.Push(ChunkDoneOutput{});
  queue.PushFrame(FrameOf(8, 1));
  queue.Push(ChunkDoneOutput{});
  queue.Take(kStart + milliseconds(5));
  queue.Take(kStart + milliseconds(7));
  const auto first = queue.Take(kStart + milliseconds(20));
  EXPECT_EQ(std::get<ChunkDoneOutput>(*first).timing.send, milliseconds(15));
  queue.Take(kStart + milliseconds(100));
  queue.Take(kStart + milliseconds(101));
  const auto second = queue.Take(kStart + milliseconds(102));
  EXPECT_EQ(std::get<ChunkDoneOutput>(*second).timing.send, milliseconds(2));
}

TEST(OutputQueue, NothingFollowsAnEnd) {
  OutputQueue queue;
  queue.Push(EndOutput{});
  queue.Push(SummaryOutput{});
  queue.PushFrame(FrameOf(1, 0));
  EXPECT_TRUE(std::holds_alternative<EndOutput>(*queue.Take(kStart)));
  EXPECT_TRUE(queue.is_finished());
  EXPECT_FALSE(queue.Take(kStart));
}

TEST(OutputQueue, CancelReplacesWhatWaits) {
  OutputQueue queue;
  queue.set_fragment_bytes(4);
  queue.PushFrame(FrameOf(8, 0));
  TakeFragment(queue);
  queue.Push(EndOutput{});
  queue.Cancel();
  EXPECT_EQ(queue.waiting_frames(), 0);
  EXPECT_EQ(std::get<EndOutput>(*queue.Take(kStart)).outcome, EndOutput::Outcome::kCancelled);
  EXPECT_FALSE(queue.Take(kStart));
}

TEST(OutputQueue, CancelAfterTheEndWasTakenChangesNothing) {
  OutputQueue queue;
  queue.Push(EndOutput{});
  queue.Take(kStart);
  queue.Cancel();
  EXPECT_FALSE(queue.Take(kStart));
}

}  // namespace
}  // namespace causeway
