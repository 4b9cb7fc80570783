// SPDX-License-Identifier: Apache-2.0
// The message of a UsageError, for tests of the command line.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include "server/bench/arguments.h"

namespace causeway::bench {

/// Empty where `call` throws none. A message with more than one line fails the test.
template <typename Call>
std::string UsageErrorOf(Call&& call) {
  try {
    call();
  } catch (const UsageError& error) {
    const std::string message = error.what();
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    return message;
  }
  return {};
}

}  // namespace causeway::bench
