// SPDX-License-Identifier: Apache-2.0
// The one catch: where exceptions of the decoder become Failure values.
#pragma once

#include <exception>
#include <new>
#include <string>
#include <utility>

#include "server/base/result.h"

namespace causeway {

/// The first line of what a fault of the decoder says: LibTorch appends a stack trace to it.
inline Failure InternalFailure(const std::string& text) {
  return {Reason::kInternalBug, "the decoder failed: " + text.substr(0, text.find('\n')), "", "",
          ""};
}

/// Calls `function` and returns its value; what it throws becomes the Failure: a FailureError its
/// own, everything else kInternalBug.
template <typename Function>
auto CatchFailure(Function&& function) -> Result<decltype(function())> {
  try {
    return std::forward<Function>(function)();
  } catch (const FailureError& error) {
    return error.failure();
  } catch (const std::bad_alloc&) {
    return InternalFailure("out of memory");
  } catch (const std::exception& error) {
    return InternalFailure(error.what());
  } catch (...) {
    return InternalFailure("an exception of unknown type");
  }
}

}  // namespace causeway
