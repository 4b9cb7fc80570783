// SPDX-License-Identifier: Apache-2.0
// The closed lists of label values.
#pragma once

#include <string>
#include <vector>

#include "server/metrics/metric_table.h"

namespace causeway::metrics {

// What the settings give.
inline Label ModelLabel() { return {"model", {}}; }
inline Label DeviceLabel() { return {"device", {}}; }
inline Label GeometryLabel() { return {"geometry", {}}; }

Label CategoryLabel();
Label BlockLabel();
Label FormatLabel();
Label PriorityLabel();
/// The stages of a chunk, in order; "total" is from its last message to ChunkDone.
Label StageLabel();
/// All reasons by their names on the wire.
Label ReasonLabel();
/// How a session ended: a reason, "OK" or "CANCELLED".
Label EndLabel();

inline constexpr char kEndOk[] = "OK";
inline constexpr char kEndCancelled[] = "CANCELLED";

}  // namespace causeway::metrics
