// SPDX-License-Identifier: Apache-2.0
// causeway-server's settings from its flags, the environment and a file. Order: flag, environment
// (CAUSEWAY_MAX_SESSIONS for --max-sessions), file (--config), default.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "server/config/server_config.h"

namespace causeway::config {

/// The program has nothing more to do: prints `text` and ends. Code 0 (asked for: --help and the
/// like) goes to standard output, 2 (a setting that cannot be used: one line) to standard error.
struct EarlyExit {
  int code = 0;
  std::string text;
};

/// `backends`: those that the build has, at least one; the first is the default.
std::variant<ServerConfig, EarlyExit> ParseCommandLine(int argc, const char* const* argv,
                                                       const std::vector<std::string>& backends);

}  // namespace causeway::config
