// SPDX-License-Identifier: Apache-2.0
// What the tests of simt share: launches under every policy, and expected failures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/primitives/primitives.h"
#include "kernels/simt/global_memory.h"
#include "kernels/simt/launch.h"

namespace causeway::kernels::simt {

inline constexpr AsyncCompletion kPolicies[] = {AsyncCompletion::kEarliest,
                                                AsyncCompletion::kRandom, AsyncCompletion::kLatest};

/// Global memory of a test, 128-byte aligned and registered.
template <typename T>
class TestBuffer {
 public:
  TestBuffer(size_t count, T value, const char* name = "buffer", Access access = Access::kReadWrite)
      : storage_(count + 128 / sizeof(T), value),
        data_(Align(storage_.data())),
        count_(count),
        registration_(data_, count * sizeof(T), name, access) {}

  T* data() const { return data_; }
  T& operator[](size_t i) const { return data_[i]; }
  size_t size() const { return count_; }

 private:
  static T* Align(T* pointer) {
    const auto address = reinterpret_cast<uintptr_t>(pointer);
    return pointer + (128 - address % 128) % 128 / sizeof(T);
  }

  std::vector<T> storage_;
  T* data_;
  size_t count_;
  GlobalBuffer registration_;
};

/// Runs `kernel` under every policy with a few seeds and expects no failure; `check` looks at the
/// results of each.
inline void ExpectRuns(
    LaunchOptions options, const std::function<void()>& kernel,
    const std::function<void()>& check = [] {}) {
  for (const AsyncCompletion async : kPolicies) {
    for (uint64_t seed = 1; seed <= 3; ++seed) {
      options.async = async;
      options.seed = seed;
      const LaunchReport report = Launch(options, kernel);
      ASSERT_TRUE(report.Ok()) << report.Text();
      check();
      if (testing::Test::HasFailure()) return;
    }
  }
}

/// Runs `kernel` under every policy with a few seeds and expects the same kind of failure each
/// time; the text of each has to contain `text`.
inline void ExpectFails(LaunchOptions options, FailureKind kind, const std::string& text,
                        const std::function<void()>& kernel) {
  for (const AsyncCompletion async : kPolicies) {
    for (uint64_t seed = 1; seed <= 3; ++seed) {
      options.async = async;
      options.seed = seed;
      const LaunchReport report = Launch(options, kernel);
      ASSERT_FALSE(report.Ok());
      EXPECT_EQ(FailureName(report.failure->kind), std::string(FailureName(kind))) << report.Text();
      EXPECT_NE(report.failure->text.find(text), std::string::npos) << report.Text();
      if (testing::Test::HasFailure()) return;
    }
  }
}

inline uint32_t SharedStart() { return SharedAddress(DynamicShared()); }

}  // namespace causeway::kernels::simt
