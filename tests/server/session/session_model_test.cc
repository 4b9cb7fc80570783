// SPDX-License-Identifier: Apache-2.0
// Random orders of messages against a model of a few lines: 20 seeds of 10,000 sequences each, on
// the fake decoder, a clock that stands still unless told, and a scheduler that is moved by hand.
#include <algorithm>
#include <cstdio>
#include <iterator>
#include <limits>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "server/session/session.h"
#include "tests/server/session/stream_model.h"
#include "tests/support/fake_decode_worker.h"
#include "tests/support/stream_data.h"

namespace causeway {
namespace {

using Outcome = EndOutput::Outcome;

constexpr int kSeeds = 20;
constexpr int kSequences = 10'000;

constexpr Act kHarmless[] = {Act::kChunk,     Act::kChunk,  Act::kHalfChunk, Act::kOtherHalf,
                             Act::kOtherHalf, Act::kNan,    Act::kWrongSize, Act::kReset,
                             Act::kCredit,    Act::kCredit, Act::kPing,      Act::kTick,
                             Act::kRun,       Act::kRun,    Act::kRun,       Act::kTake,
                             Act::kTake,      Act::kTake,   Act::kTake,      Act::kTake};

class SessionModel : public ::testing::Test {
 protected:
  class NoSink : public SessionSink {
   public:
    void OnOutputReady() override {}
  };

  /// One stream from its beginning to its end.
  class Run {
   public:
    Run(SessionModel& owner, std::mt19937& random)
        : owner_(owner), random_(random), sink_(std::make_shared<NoSink>()) {
      SessionOptions options;
      options.max_pending_chunks = kMaxPending;
      options.now = [this] { return now_; };
      session_ =
          std::make_shared<Session>(options, owner.worker_, owner.scheduler_, owner.ledger_, sink_);
      open_ = testing::ValidOpen();
      open_.spec.geometry = {.height = 8, .width = 8};
      const auto delivery = random_() % 3;
      if (delivery > 0) {
        open_.delivery = {delivery == 1 ? DeliveryMode::kBlock : DeliveryMode::kDropOldest,
                          1 + static_cast<int>(random_() % 8)};
      }
    }

    void Go() {
      if (random_() % 16 != 0) Do(Act::kOpen);
      const auto steps = 1 + random_() % 60;
      for (std::size_t step = 0; step < steps; ++step) {
        // Most acts keep the stream alive and within its credits, so that sequences get deep.
        const bool is_wild = random_() % 64 == 0;
        Act act = kHarmless[random_() % std::size(kHarmless)];
        if (act <= Act::kWrongSize && model_.pending >= kMaxPending) act = Act::kTake;
        Do(is_wild ? static_cast<Act>(random_() % kActs) : act);
      }
      if (model_.state == StreamState::kStreaming && random_() % 2 == 0) Do(Act::kEnd);
      Do(model_.state == StreamState::kFinishing ? Act::kHalfClose : Act::kCancel);
      Finish();
    }

    /// "OK", "CANCELLED" or the reason.
    std::string outcome() const {
      if (model_.failure) return std::string(ReasonName(*model_.failure));
      return model_.is_cancelled ? "CANCELLED" : "OK";
    }
    std::uint64_t frames() const { return taken_frames_; }

   private:
    void Do(Act act) {
      SettleModel();
      // What has nothing to continue is no continuation.
      if (act == Act::kOtherHalf && !model_.is_assembling) act = Act::kPing;
      const bool is_new = act == Act::kHalfChunk && !model_.is_assembling;
      const std::uint64_t seq = model_.next_seq;
      model_.Apply(act);
      now_ += std::chrono::microseconds(random_() % 1000);
      switch (act) {
        case Act::kOpen:
          return session_->OnOpen(open_);
        case Act::kBadOpen: {
          OpenRequest bad = open_;
          bad.spec.geometry.width = 9;
          return session_->OnOpen(bad);
        }
        case Act::kChunk:
        case Act::kNan:
        case Act::kWrongSize:
        case Act::kHalfChunk:
        case Act::kOtherHalf:
        case Act::kGap:
          Send(act, seq, is_new);
          break;
        case Act::kReset:
          if (seq == model_.next_seq && model_.state == StreamState::kStreaming) resets_ = true;
          return session_->OnReset(seq);
        case Act::kPastReset:
          // With no chunk accepted there is no past.
          if (seq == 0 && model_.state == StreamState::kStreaming) resets_ = true;
          return session_->OnReset(seq == 0 ? 0 : seq - 1);
        case Act::kCredit:
          return session_->OnCredit(static_cast<int>(random_() % 9));
        case Act::kNegativeCredit:
          return session_->OnCredit(-1);
        case Act::kPing:
          return session_->OnPing({"12345678", 3});
        case Act::kLongPing:
          return session_->OnPing({"123456789", 3});
        case Act::kEnd:
          return session_->OnEvent(StreamEvent::kEnd);
        case Act::kHalfClose:
          return session_->OnEvent(StreamEvent::kHalfClose);
        case Act::kUnknown:
          return session_->OnEvent(StreamEvent::kUnknownMessage);
        case Act::kDrain:
          return session_->OnEvent(StreamEvent::kDrain);
        case Act::kCancel:
          return session_->OnEvent(StreamEvent::kCancel);
        case Act::kTick:
          return session_->OnTick();
        case Act::kRun:
          owner_.scheduler_.RunOne();
          return;
        case Act::kTake:
          Take();
          return;
      }
    }

    /// The whole payload of the next chunk; the same for every try at it.
    std::vector<float> Elements(std::uint64_t seq) const {
      std::vector<float> elements(static_cast<std::size_t>(4 * LatentsOf(seq)));
      for (std::size_t at = 0; at < elements.size(); ++at) {
        elements[at] = static_cast<float>(seq * 100 + at);
      }
      return elements;
    }
    static int LatentsOf(std::uint64_t seq) { return 1 + static_cast<int>(seq % 3); }

    void Send(Act act, std::uint64_t seq, bool is_new) {
      std::vector<float> elements = Elements(seq);
      if (act == Act::kNan) elements[0] = std::numeric_limits<float>::quiet_NaN();
      ChunkRequest chunk{
          .seq = seq, .latents = LatentsOf(seq), .payload = testing::PayloadOf(elements)};
      const std::string whole = chunk.payload;
      if (act == Act::kWrongSize) chunk.payload.pop_back();
      if (act == Act::kGap) ++chunk.seq;
      if (act == Act::kHalfChunk || act == Act::kOtherHalf) {
        chunk.fragment_count = 2;
        chunk.fragment_index = act == Act::kOtherHalf ? 1 : 0;
        chunk.payload = act == Act::kOtherHalf ? whole.substr(8) : whole.substr(0, 8);
        static_cast<void>(is_new);
      }
      const bool is_accepted = model_.next_seq > seq;
      session_->OnChunk(std::move(chunk));
      if (is_accepted) Expect(seq);
    }

    /// The frames that an accepted chunk has to give.
    void Expect(std::uint64_t seq) {
      if (resets_) {
        history_ = {};
        has_history_ = false;
        ++epoch_;
        resets_ = false;
      }
      const std::vector<float> elements = Elements(seq);
      for (int latent = 0; latent < LatentsOf(seq); ++latent) {
        history_.Add(std::span(elements).subspan(static_cast<std::size_t>(latent) * 4, 4));
        for (int index = 0; index < (has_history_ ? 4 : 1); ++index) {
          expected_.push_back({history_.Frame(index, 3 * 8 * 8), epoch_, seq});
        }
        has_history_ = true;
        ++accepted_latents_;
      }
    }

    bool Take() {
      std::optional<Output> output = session_->NextOutput();
      if (!output) return false;
      EXPECT_FALSE(end_) << "an output after the end";
      EXPECT_EQ(std::holds_alternative<OpenedOutput>(*output), !is_opened_ && Opens(*output));
      is_opened_ = is_opened_ || std::holds_alternative<OpenedOutput>(*output);
      if (const auto* frame = std::get_if<FragmentOutput>(&*output)) {
        ++taken_frames_;
        CheckIndex(frame->frame_index, frame->chunk_seq);
        EXPECT_EQ(frame->epoch, expected_[frame->frame_index].epoch);
        EXPECT_TRUE(std::ranges::equal(frame->payload, expected_[frame->frame_index].pixels));
      } else if (const auto* dropped = std::get_if<FrameDroppedOutput>(&*output)) {
        CheckIndex(dropped->frame_index, dropped->chunk_seq);
      } else if (const auto* done = std::get_if<ChunkDoneOutput>(&*output)) {
        EXPECT_EQ(done->chunk_seq, next_done_++);
        EXPECT_EQ(done->first_frame_index + static_cast<std::uint64_t>(done->frame_count),
                  next_frame_);
        --model_.pending;
      } else if (std::holds_alternative<ChunkErrorOutput>(*output)) {
        --model_.pending;
      } else if (const auto* credit = std::get_if<InputCreditOutput>(&*output)) {
        EXPECT_GE(credit->chunks, 0);
        EXPECT_GT(credit->bytes + credit->chunks, 0);
      } else if (const auto* end = std::get_if<EndOutput>(&*output)) {
        end_ = *end;
        model_.is_over = true;
      }
      return true;
    }
    static bool Opens(const Output& output) { return !std::holds_alternative<EndOutput>(output); }
    void CheckIndex(std::uint64_t frame_index, std::uint64_t chunk_seq) {
      ASSERT_EQ(frame_index, next_frame_++);
      ASSERT_LT(frame_index, expected_.size());
      EXPECT_EQ(chunk_seq, expected_[frame_index].chunk_seq);
    }

    /// A stream that is finishing ends by itself once everything accepted is delivered.
    void SettleModel() {
      if (model_.state != StreamState::kFinishing && model_.state != StreamState::kStopping) return;
      const SummaryOutput totals = session_->report().totals;
      if (totals.latents < accepted_latents_) return;
      if (taken_frames_ + totals.frames_dropped < totals.frames) return;
      is_complete_ = true;
      model_.End(model_.state == StreamState::kStopping ? std::optional(Reason::kDraining)
                                                        : std::nullopt);
    }

    void Finish() {
      for (int round = 0; round < 1000 && !end_; ++round) {
        SettleModel();
        const bool took = Take();
        if (!owner_.scheduler_.RunOne() && !took) break;
      }
      SettleModel();
      while (Take()) {
      }
      ASSERT_TRUE(end_) << "the stream does not end";
      if (model_.failure) {
        EXPECT_EQ(end_->outcome, Outcome::kFailed);
        EXPECT_EQ(ReasonName(end_->failure.reason), ReasonName(*model_.failure));
      } else {
        EXPECT_EQ(end_->outcome, model_.is_cancelled ? Outcome::kCancelled : Outcome::kOk);
      }
      if (is_complete_ && !model_.is_cancelled) {
        EXPECT_EQ(next_frame_, expected_.size());
        EXPECT_EQ(next_done_, model_.next_seq);
      }
    }

    struct ExpectedFrame {
      std::vector<std::byte> pixels;
      std::uint64_t epoch;
      std::uint64_t chunk_seq;
    };

    SessionModel& owner_;
    std::mt19937& random_;
    Clock::time_point now_;
    std::shared_ptr<NoSink> sink_;
    std::shared_ptr<Session> session_;
    OpenRequest open_;
    Model model_;
    bool is_complete_ = false;
    // Of the accepted chunks.
    testing::FakeHistory history_;
    bool has_history_ = false;
    bool resets_ = false;
    std::uint64_t epoch_ = 0;
    std::uint64_t accepted_latents_ = 0;
    std::vector<ExpectedFrame> expected_;
    // What was taken.
    bool is_opened_ = false;
    std::uint64_t taken_frames_ = 0;
    std::uint64_t next_frame_ = 0;
    std::uint64_t next_done_ = 0;
    std::optional<EndOutput> end_;
  };

  testing::FakeDecodeWorker worker_;
  CapacityLedger ledger_{2, 2000};
  Scheduler scheduler_{Scheduler::Mode::kByHand};
};

TEST_F(SessionModel, EveryOrderOfMessagesEndsAsTheModelSaysAndLeavesNothingBehind) {
  int sequences = 0;
  std::uint64_t frames = 0;
  std::set<std::string> outcomes;
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    std::mt19937 random(seed);
    for (int sequence = 0; sequence < kSequences; ++sequence) {
      SCOPED_TRACE(::testing::Message() << "seed " << seed << ", sequence " << sequence);
      {
        Run run(*this, random);
        run.Go();
        outcomes.insert(run.outcome());
        frames += run.frames();
      }
      while (scheduler_.RunOne()) {
      }
      ASSERT_EQ(ledger_.sessions(), 0);
      ASSERT_EQ(ledger_.bytes(), 0);
      ASSERT_EQ(worker_.open_streams, 0);
      ASSERT_FALSE(HasFailure());
      ++sequences;
    }
  }
  EXPECT_EQ(sequences, kSeeds * kSequences);
  EXPECT_EQ(outcomes, (std::set<std::string>{
                          "BAD_FRAGMENT", "BAD_GEOMETRY", "BAD_OPTION", "BAD_RESET", "CANCELLED",
                          "CHUNK_AFTER_END", "CHUNK_SEQ_GAP", "DRAINING", "INPUT_OVERRUN",
                          "NOT_IMPLEMENTED", "OK", "OPEN_EXPECTED", "OPEN_REPEATED"}));
  std::printf("%d sequences, %llu frames\n", sequences, static_cast<unsigned long long>(frames));
}

}  // namespace
}  // namespace causeway
