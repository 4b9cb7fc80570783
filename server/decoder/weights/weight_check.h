// SPDX-License-Identifier: Apache-2.0
// Whether a weight file holds exactly what a model needs.
#pragma once

#include <vector>

#include "server/decoder/weights/weight_spec.h"
#include "server/decoder/weights/weight_store.h"

namespace causeway::decoder {

/// Throws FileError unless the store holds every tensor of `specs` in its shape and in fp32, fp16
/// or bf16, and nothing else. One message of one line names every tensor that is missing, not
/// expected, of another shape or of another element type; the first 12 of them where there are
/// more. Only then are the values looked at: a NaN or an infinity is refused by the same rule.
void CheckWeights(const WeightStore& store, const std::vector<WeightSpec>& specs);

}  // namespace causeway::decoder
