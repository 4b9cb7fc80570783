// SPDX-License-Identifier: Apache-2.0
// The model that a table is about: one that is known without a file, or one on disk.
#pragma once

#include <string>
#include <string_view>

#include "server/bench/arguments.h"
#include "server/decoder/models/model_config.h"

namespace causeway::bench {

/// For the help of `--model`.
std::string ModelPlaceholder();

/// The configuration of `--model`: a built-in name, or else a path as LoadModel takes it. Throws
/// UsageError where it is neither, FileError where the file cannot be used.
decoder::ModelConfig ModelFlag(const Arguments& arguments, std::string_view name);

/// "wan2.1 (wan21, base width 96, multipliers 1,2,4,4, 16 latent channels)".
std::string Describe(const decoder::ModelConfig& config);

}  // namespace causeway::bench
