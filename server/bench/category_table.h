// SPDX-License-Identifier: Apache-2.0
// Step times by kernel category and block.
#pragma once

#include <chrono>
#include <ostream>

#include "server/base/json_writer.h"
#include "server/decoder/step_times.h"

namespace causeway::bench {

double Milliseconds(std::chrono::nanoseconds duration);

/// Time in all categories together.
std::chrono::nanoseconds CategorySum(const decoder::StepTimes& times);

/// One row a category that has time or launches, most time first, one column a block; the last
/// two rows are the sum and the share of each block.
void PrintCategories(const decoder::StepTimes& times, std::ostream& out);

/// An array, one object a category as above: name, ms, share, launches, ms by block.
void WriteCategories(const decoder::StepTimes& times, JsonWriter& json);

}  // namespace causeway::bench
