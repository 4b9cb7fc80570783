// SPDX-License-Identifier: Apache-2.0
// A value, or the Failure that stands in its place. Used where nothing may throw: in the scheduler,
// the sessions and the RPC layer.
#pragma once

#include <cassert>
#include <utility>
#include <variant>

#include "server/base/failure.h"

namespace causeway {

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : content_(std::in_place_index<0>, std::move(value)) {}
  Result(Failure failure) : content_(std::in_place_index<1>, std::move(failure)) {}

  bool ok() const { return content_.index() == 0; }

  /// Only where ok().
  T& value() {
    assert(ok());
    return *std::get_if<0>(&content_);
  }
  const T& value() const {
    assert(ok());
    return *std::get_if<0>(&content_);
  }

  /// Only where !ok().
  const Failure& failure() const {
    assert(!ok());
    return *std::get_if<1>(&content_);
  }

 private:
  std::variant<T, Failure> content_;
};

}  // namespace causeway
