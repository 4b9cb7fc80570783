// SPDX-License-Identifier: Apache-2.0
// causeway-bench: `COMMAND [FLAGS]`, or `--help`.
#pragma once

#include <ostream>
#include <span>
#include <string>

namespace causeway::bench {

/// Runs the command that `words` (without the program's name) ask for, or writes the help to
/// `out`. Throws as Command::run does, and std::runtime_error where `out` takes no more.
void RunProgram(std::span<const std::string> words, std::ostream& out);

}  // namespace causeway::bench
