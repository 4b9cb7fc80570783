// SPDX-License-Identifier: Apache-2.0
// The commands of causeway-bench. Each has its flags and its work; program.h finds and runs them.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "server/bench/arguments.h"

namespace causeway::bench {

struct Command {
  std::string name;
  std::string summary;  // one line, for the help
  std::vector<Flag> flags;
  /// Writes its result to `out`. Throws UsageError, FileError, FailureError and what the decoder
  /// throws; what was written by then is of no use.
  void (*run)(const Arguments& arguments, std::ostream& out) = nullptr;
};

/// The plan of a model and a geometry, step by step.
Command ExplainCommand();
/// The memory that a model and its sessions take.
Command SizeCommand();
/// Decodes latents and measures it.
Command RunCommand();

}  // namespace causeway::bench
