// SPDX-License-Identifier: Apache-2.0
// The parts of the metric table, by what they are about.
#pragma once

#include <vector>

#include "server/metrics/metric_table.h"

namespace causeway::metrics {

/// The process and its listeners.
std::vector<MetricRow> ServerRows();
/// Admission and the lives of sessions.
std::vector<MetricRow> SessionRows();
/// What flows through the sessions, and when.
std::vector<MetricRow> StreamRows();
/// The decoder: steps, kernel categories, blocks.
std::vector<MetricRow> KernelRows();

}  // namespace causeway::metrics
