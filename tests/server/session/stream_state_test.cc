// SPDX-License-Identifier: Apache-2.0
#include "server/session/stream_state.h"

#include <iterator>

#include <gtest/gtest.h>

namespace causeway {
namespace {

constexpr StreamState kStates[] = {StreamState::kAwaitingOpen, StreamState::kStreaming,
                                   StreamState::kFinishing, StreamState::kStopping,
                                   StreamState::kEnded};
constexpr StreamEvent kEvents[] = {
    StreamEvent::kOpen,      StreamEvent::kChunk,          StreamEvent::kReset,
    StreamEvent::kCredit,    StreamEvent::kPing,           StreamEvent::kEnd,
    StreamEvent::kHalfClose, StreamEvent::kUnknownMessage, StreamEvent::kDrain,
    StreamEvent::kIdle,      StreamEvent::kSlowConsumer,   StreamEvent::kCancel};
static_assert(std::size(kEvents) == kStreamEventCount);
static_assert(std::size(kStates) == kStreamStateCount);

TEST(StreamState, CancelEndsTheStreamInEveryState) {
  for (const StreamState state : kStates) {
    const Transition& transition = NextState(state, StreamEvent::kCancel);
    EXPECT_EQ(transition.next, StreamState::kEnded);
    EXPECT_FALSE(transition.refusal || transition.is_ignored);
  }
}

TEST(StreamState, ARefusalEndsTheStream) {
  for (const StreamState state : kStates) {
    for (const StreamEvent event : kEvents) {
      const Transition& transition = NextState(state, event);
      if (transition.refusal) {
        EXPECT_EQ(transition.next, StreamState::kEnded);
      }
    }
  }
}

TEST(StreamState, AnIgnoredEventChangesNothing) {
  for (const StreamState state : kStates) {
    for (const StreamEvent event : kEvents) {
      const Transition& transition = NextState(state, event);
      if (transition.is_ignored) {
        EXPECT_EQ(transition.next, state);
      }
    }
  }
}

TEST(StreamState, NothingLeavesTheEndedState) {
  for (const StreamEvent event : kEvents) {
    EXPECT_EQ(NextState(StreamState::kEnded, event).next, StreamState::kEnded);
    EXPECT_FALSE(NextState(StreamState::kEnded, event).refusal);
  }
}

TEST(StreamState, OnlyOpenIsTakenFirst) {
  for (const StreamEvent event :
       {StreamEvent::kChunk, StreamEvent::kReset, StreamEvent::kCredit, StreamEvent::kPing,
        StreamEvent::kEnd, StreamEvent::kHalfClose, StreamEvent::kUnknownMessage}) {
    EXPECT_EQ(NextState(StreamState::kAwaitingOpen, event).refusal, Reason::kOpenExpected);
  }
  EXPECT_EQ(NextState(StreamState::kAwaitingOpen, StreamEvent::kOpen).next,
            StreamState::kStreaming);
}

TEST(StreamState, EventsAndStatesHaveWordsForErrorTexts) {
  for (const StreamEvent event : kEvents) EXPECT_FALSE(EventName(event).empty());
  for (const StreamState state : kStates) EXPECT_FALSE(AllowedMessages(state).empty());
}

}  // namespace
}  // namespace causeway
