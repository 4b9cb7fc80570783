// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/conv3d/conv3d_case.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include "kernels/common/round_element.h"
#include "kernels/conv3d/portable/kernel_table.cuh"
#include "kernels/conv3d/portable/launch_plan.h"
#include "kernels/simt/global_memory.h"
#include "tests/support/random.h"

namespace causeway::kernels::test {
namespace {

using causeway::test::Random;

// The widest tile: bias and gamma are padded to it.
constexpr int kMaxChannels = 384;
constexpr int kSpareChannels = 16;
constexpr double kFp32Roundoff = 0x1p-24;

std::vector<int> Shuffled(int count, Random& random) {
  std::vector<int> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  for (int i = count - 1; i > 0; --i) {
    std::swap(order[static_cast<std::size_t>(i)],
              order[static_cast<std::size_t>(random.Integer(0, i))]);
  }
  return order;
}

int RawBytes(RawType type, ElementType element) {
  return type == RawType::kFp32 ? 4 : ElementBytes(element);
}

double LoadRaw(RawType type, ElementType element, const std::byte* in) {
  if (type == RawType::kElement) return LoadElement(element, in);
  float value = 0.0F;
  std::memcpy(&value, in, sizeof value);
  return value;
}

/// Relative error of rounding to nearest.
double ElementRoundoff(ElementType element) {
  return element == ElementType::kBf16 ? 0x1p-8 : 0x1p-11;
}

}  // namespace

Conv3dCase::Conv3dCase(const Conv3dProblem& problem, const CaseOptions& options)
    : problem_(problem), options_(options) {
  Random random(options.seed);
  const auto draw = [&](int magnitude) {
    return options.integers ? static_cast<float>(random.Integer(-magnitude, magnitude))
                            : static_cast<float>(random.Uniform());
  };
  const auto round = [&](float value) {
    std::byte element[4];
    StoreRounded(problem.element, value, element);
    return LoadElement(problem.element, element);
  };
  const std::int64_t taps = 27;
  weights_.resize(static_cast<std::size_t>(taps * problem.in_channels * problem.out_channels));
  for (float& weight : weights_) weight = round(draw(1));
  weights_by_tap_.resize(weights_.size());
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    const std::size_t row = i / 27;
    const auto in = static_cast<std::size_t>(problem.in_channels);
    const auto out = static_cast<std::size_t>(problem.out_channels);
    weights_by_tap_[(i % 27 * in + row % in) * out + row / in] = weights_[i];
  }
  bias_.assign(kMaxChannels + kSpareChannels, 0.0F);
  gamma_.assign(kMaxChannels + kSpareChannels, 0.0F);
  for (int n = 0; n < problem.out_channels; ++n) {
    bias_[static_cast<std::size_t>(n)] = draw(3);
    gamma_[static_cast<std::size_t>(n)] =
        static_cast<float>((1.0 + 0.5 * random.Uniform()) * std::sqrt(problem.out_channels));
  }

  // Three pages more than the stream needs: they stay NaN and belong to nobody.
  const int stream_pages = problem.frames + 2;
  input_pages_ = stream_pages + 3;
  output_pages_ = problem.frames + 3;
  const std::vector<int> input_order = Shuffled(input_pages_, random);
  const std::vector<int> residual_order = Shuffled(output_pages_, random);
  const std::vector<int> raw_order = Shuffled(output_pages_, random);
  const std::vector<int> output_order = Shuffled(output_pages_, random);

  // All bits set is a NaN in every type.
  const int element_bytes = ElementBytes(problem.element);
  const std::int64_t in_page = PlaneElements() * problem.in_channels;
  const std::int64_t out_page = PlaneElements() * problem.out_channels;
  const auto sized = [](std::int64_t pages, std::int64_t elements, int bytes) {
    return std::vector<std::byte>(static_cast<std::size_t>(pages * elements * bytes),
                                  std::byte{0xff});
  };
  input_ = sized(input_pages_, in_page, element_bytes);
  residual_ = sized(output_pages_, out_page, RawBytes(problem.epilogue.residual, problem.element));
  for (int page = 0; page < stream_pages; ++page) {
    std::byte* out =
        input_.data() + input_order[static_cast<std::size_t>(page)] * in_page * element_bytes;
    for (std::int64_t i = 0; i < in_page; ++i) {
      StoreRounded(problem.element, draw(2), out + i * element_bytes);
    }
  }
  for (int frame = 0; frame < problem.frames; ++frame) {
    const auto position = static_cast<std::size_t>(frame);
    FrameEntry entry;
    for (int time = 0; time < 3; ++time) {
      const bool is_missing = frame == 0 && time < options.missing_history;
      entry.inputs[time] =
          is_missing ? kNoPage : input_order[static_cast<std::size_t>(frame + time)];
    }
    entry.residual = residual_order[position];
    entry.raw = raw_order[position];
    entry.output = output_order[position];
    frames_.push_back(entry);

    // Without a residual its pages stay NaN: whoever reads them shows.
    if (problem.epilogue.residual == RawType::kNone) continue;
    const int bytes = RawBytes(problem.epilogue.residual, problem.element);
    std::byte* out = residual_.data() + entry.residual * out_page * bytes;
    for (std::int64_t i = 0; i < out_page; ++i) {
      const float value = draw(3);
      if (problem.epilogue.residual == RawType::kElement) {
        StoreRounded(problem.element, value, out + i * bytes);
      } else {
        std::memcpy(out + i * bytes, &value, sizeof value);
      }
    }
  }
}

std::int64_t Conv3dCase::Index(std::int32_t page, int channels, int y, int x, int c) const {
  const int unit = UnitChannels(problem_.element);
  return ((std::int64_t{page} * (channels / unit) + c / unit) * PlaneElements() +
          std::int64_t{y} * problem_.width + x) *
             unit +
         c % unit;
}

double Conv3dCase::Input(std::int32_t page, int y, int x, int c) const {
  return LoadElement(problem_.element, input_.data() + Index(page, problem_.in_channels, y, x, c) *
                                                           ElementBytes(problem_.element));
}

void Conv3dCase::Run(const TileConfig& tile, const simt::LaunchOptions& how,
                     std::vector<int> only) {
  Conv3dProblem problem = problem_;
  std::vector<FrameEntry> list = frames_;
  if (!only.empty()) {
    list.clear();
    for (const int frame : only) list.push_back(frames_[static_cast<std::size_t>(frame)]);
    problem.frames = static_cast<int>(list.size());
  }
  ASSERT_FALSE(Check(problem).has_value());
  const std::int64_t out_page = PlaneElements() * problem.out_channels;
  const auto nan_pool = [&](int bytes) {
    return std::vector<std::byte>(static_cast<std::size_t>(output_pages_ * out_page * bytes),
                                  std::byte{0xff});
  };
  raw_ = nan_pool(RawBytes(problem.epilogue.raw_store, problem.element));
  output_ = nan_pool(ElementBytes(problem.element));
  std::vector<std::byte> packed(static_cast<std::size_t>(PackedWeightBytes(problem, tile)));
  PackWeights(problem, tile, weights_, packed);

  const bool has_raw = problem.epilogue.raw_store != RawType::kNone;
  const bool has_norm = problem.epilogue.norm != NormType::kNone;
  const bool has_residual = problem.epilogue.residual != RawType::kNone;
  using simt::Access;
  using simt::GlobalBuffer;
  const GlobalBuffer buffers[] = {
      {input_.data(), input_.size(), "input", Access::kRead},
      {packed.data(), packed.size(), "weights", Access::kRead},
      {bias_.data(), sizeof(float) * static_cast<std::size_t>(tile.channels()), "bias",
       Access::kRead},
      {gamma_.data(), sizeof(float) * static_cast<std::size_t>(tile.channels()), "gamma",
       Access::kRead},
      {residual_.data(), residual_.size(), "residual", Access::kRead},
      {raw_.data(), raw_.size(), "raw", Access::kReadWrite},
      {output_.data(), output_.size(), "output", Access::kReadWrite},
      {list.data(), sizeof(FrameEntry) * list.size(), "frames", Access::kRead}};

  const portable::LaunchPlan plan =
      portable::MakeLaunchPlan(problem, tile,
                               {.input = input_.data(),
                                .weights = packed.data(),
                                .bias = bias_.data(),
                                .scaled_gamma = has_norm ? gamma_.data() : nullptr,
                                .residual = has_residual ? residual_.data() : nullptr,
                                .raw = has_raw ? raw_.data() : nullptr,
                                .output = has_norm ? output_.data() : nullptr,
                                .frames = list.data()});
  const portable::PortableKernel kernel = portable::FindPortableKernel(problem.element, tile);
  ASSERT_NE(kernel, nullptr);
  simt::LaunchOptions options = how;
  options.grid_blocks = plan.grid_blocks;
  options.block_threads = plan.block_threads;
  options.dynamic_shared_bytes = plan.shared_bytes;
  const simt::LaunchReport report = simt::Launch(options, [&] { kernel(plan.params); });
  ASSERT_TRUE(report.Ok()) << ToString(problem) << ", " << ToString(tile) << ": " << report.Text();
  ExpectOnlyOwnPagesWritten(list);
}

void Conv3dCase::ExpectOnlyOwnPagesWritten(const std::vector<FrameEntry>& list) const {
  const auto is_untouched = [](const std::vector<std::byte>& pool, std::size_t page_bytes,
                               std::int32_t page) {
    const auto first = pool.begin() + static_cast<std::ptrdiff_t>(page_bytes) * page;
    return std::all_of(first, first + static_cast<std::ptrdiff_t>(page_bytes),
                       [](std::byte value) { return value == std::byte{0xff}; });
  };
  const auto page_bytes = [&](const std::vector<std::byte>& pool) {
    return pool.size() / static_cast<std::size_t>(output_pages_);
  };
  for (std::int32_t page = 0; page < output_pages_; ++page) {
    const auto is_owned = [&](std::int32_t FrameEntry::*member) {
      return std::any_of(list.begin(), list.end(),
                         [&](const FrameEntry& entry) { return entry.*member == page; });
    };
    ASSERT_TRUE(is_owned(&FrameEntry::raw) || is_untouched(raw_, page_bytes(raw_), page));
    ASSERT_TRUE(is_owned(&FrameEntry::output) || is_untouched(output_, page_bytes(output_), page));
  }
}

std::vector<Conv3dCase::Expected> Conv3dCase::ExpectedPixel(const FrameEntry& frame, int y,
                                                            int x) const {
  const int in = problem_.in_channels;
  std::vector<Expected> channels(static_cast<std::size_t>(problem_.out_channels));
  for (int tap = 0; tap < 27; ++tap) {
    const std::int32_t page = frame.inputs[tap / 9];
    const int sy = y + tap / 3 % 3 - 1;
    const int sx = x + tap % 3 - 1;
    if (page == kNoPage || sy < 0 || sy >= problem_.height || sx < 0 || sx >= problem_.width) {
      continue;
    }
    for (int c = 0; c < in; ++c) {
      const double value = Input(page, sy, sx, c);
      const float* weight =
          weights_by_tap_.data() + std::int64_t{tap * in + c} * problem_.out_channels;
      for (std::size_t n = 0; n < channels.size(); ++n) {
        const double product = value * weight[n];
        channels[n].sum += product;
        channels[n].sum_bound += std::abs(product);
      }
    }
  }
  FinishPixel(channels, frame, y, x);
  return channels;
}

void Conv3dCase::FinishPixel(std::vector<Expected>& channels, const FrameEntry& frame, int y,
                             int x) const {
  double squares = 0.0;
  double squared_bounds = 0.0;
  for (std::size_t n = 0; n < channels.size(); ++n) {
    Expected& value = channels[n];
    value.sum += bias_[n];
    value.sum_bound += std::abs(bias_[n]);
    if (problem_.epilogue.residual != RawType::kNone) {
      const double residual =
          LoadRaw(problem_.epilogue.residual, problem_.element,
                  residual_.data() +
                      Index(frame.residual, problem_.out_channels, y, x, static_cast<int>(n)) *
                          RawBytes(problem_.epilogue.residual, problem_.element));
      value.sum += residual;
      value.sum_bound += std::abs(residual);
    }
    // A sum of m terms in fp32 in any order: m u sum |terms|; twice that, because tensor cores may
    // truncate where an adder would round.
    value.sum_bound *=
        options_.integers ? 0.0 : 2 * (27 * problem_.in_channels + 2) * kFp32Roundoff;
    squares += value.sum * value.sum;
    squared_bounds += value.sum_bound * value.sum_bound;
  }
  const double norm = std::max(std::sqrt(squares), 1e-12);
  // The norm is off by at most the norm of the errors; its own sum of squares and the approximate
  // root (2^-22.9 by the PTX manual) cost a few u more.
  const double norm_error =
      std::sqrt(squared_bounds) / norm + (problem_.out_channels + 4) * kFp32Roundoff + 0x1p-22;
  for (std::size_t n = 0; n < channels.size(); ++n) {
    Expected& value = channels[n];
    const double y_value = value.sum / norm * gamma_[n];
    double bound = value.sum_bound / norm * std::abs(gamma_[n]) +
                   std::abs(y_value) * (norm_error + 3 * kFp32Roundoff);
    value.normed = y_value;
    if (problem_.epilogue.norm == NormType::kRmsSilu) {
      value.normed = y_value / (1.0 + std::exp(-y_value));
      // Slope below 1.1; exponential and reciprocal are approximate to 2^-22 and 1 ulp, and the
      // exponent's rounding is multiplied by |y|.
      bound = 1.1 * bound + std::abs(value.normed) * (0x1p-20 + 2 * std::abs(y_value) * 0x1p-23);
    }
    value.normed_bound =
        bound + std::abs(value.normed) * ElementRoundoff(problem_.element) + 0x1p-25;
  }
}

void Conv3dCase::ExpectRight(const std::vector<int>& only) const {
  const RawType raw_type = problem_.epilogue.raw_store;
  for (int frame = 0; frame < problem_.frames; ++frame) {
    if (!only.empty() && std::find(only.begin(), only.end(), frame) == only.end()) continue;
    const FrameEntry& entry = frames_[static_cast<std::size_t>(frame)];
    for (int y = 0; y < problem_.height; ++y) {
      for (int x = 0; x < problem_.width; ++x) {
        const std::vector<Expected> channels = ExpectedPixel(entry, y, x);
        for (int n = 0; n < problem_.out_channels; ++n) {
          const Expected& expected = channels[static_cast<std::size_t>(n)];
          const auto where = [&] {
            return "frame " + std::to_string(frame) + ", pixel " + std::to_string(y) + "," +
                   std::to_string(x) + ", channel " + std::to_string(n);
          };
          if (raw_type != RawType::kNone) {
            const int bytes = RawBytes(raw_type, problem_.element);
            const double actual =
                LoadRaw(raw_type, problem_.element,
                        raw_.data() + Index(entry.raw, problem_.out_channels, y, x, n) * bytes);
            const double bound = expected.sum_bound +
                                 (raw_type == RawType::kElement
                                      ? std::abs(expected.sum) * ElementRoundoff(problem_.element)
                                      : 0.0);
            // Written so that a NaN, which is what nobody wrote, fails.
            ASSERT_TRUE(std::abs(actual - expected.sum) <= bound)
                << where() << ": raw " << actual << ", expected " << expected.sum << " within "
                << bound;
          }
          if (problem_.epilogue.norm != NormType::kNone) {
            const std::byte* element =
                output_.data() + Index(entry.output, problem_.out_channels, y, x, n) *
                                     ElementBytes(problem_.element);
            const double actual = LoadElement(problem_.element, element);
            ASSERT_TRUE(std::abs(actual - expected.normed) <= expected.normed_bound)
                << where() << ": normed " << actual << ", expected " << expected.normed
                << " within " << expected.normed_bound;
            // The next layer's matrix product drops what is below an element's last bit.
            std::byte rounded[4];
            StoreRounded(problem_.element, static_cast<float>(actual), rounded);
            ASSERT_TRUE(std::equal(element, element + ElementBytes(problem_.element), rounded))
                << where() << ": is not rounded to its element type";
          }
        }
      }
    }
  }
}

std::vector<std::byte> Conv3dCase::WrittenBytes() const {
  std::vector<std::byte> bytes = raw_;
  bytes.insert(bytes.end(), output_.begin(), output_.end());
  return bytes;
}

}  // namespace causeway::kernels::test
