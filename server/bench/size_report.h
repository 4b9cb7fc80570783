// SPDX-License-Identifier: Apache-2.0
// The memory that a model and its sessions take, as tables and as JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <ostream>

#include "server/base/json_writer.h"
#include "server/decoder/plan/plan.h"

namespace causeway::bench {

/// State by slot class, then state, weights and activations in fp32 and in 16 bit; the sessions
/// that fit where a memory is given.
void PrintSizes(const decoder::Plan& plan, std::optional<std::int64_t> memory_bytes,
                std::ostream& out);

/// The members of an object that is already open.
void WriteSizes(const decoder::Plan& plan, std::optional<std::int64_t> memory_bytes,
                JsonWriter& json);

}  // namespace causeway::bench
