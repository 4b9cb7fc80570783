// SPDX-License-Identifier: Apache-2.0
// A program of a plan as a table, and as JSON.
#pragma once

#include <ostream>
#include <string>

#include "server/base/json_writer.h"
#include "server/decoder/plan/plan.h"

namespace causeway::bench {

/// "add,raw,rms_silu": the parts of the epilogue in their order; empty where it has none.
std::string EpilogueText(const decoder::Epilogue& epilogue);

/// The steps by block, then the sums. Activations stand as `frames,channels,height,width`, those of
/// the input without its history. FLOPs are Step's, in 10^9; bytes are those of fp32, 16-bit types
/// take half.
void PrintProgram(const decoder::Plan& plan, decoder::Phase phase, std::ostream& out);

/// One object: phase, steps, totals. Counts are exact integers of FLOPs and elements.
void WriteProgram(const decoder::Plan& plan, decoder::Phase phase, JsonWriter& json);

}  // namespace causeway::bench
