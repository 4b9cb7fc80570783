// SPDX-License-Identifier: Apache-2.0
#include "server/metrics/metric_table.h"

#include <algorithm>
#include <stdexcept>

#include "server/metrics/metric_rows.h"

namespace causeway::metrics {
namespace {

int Values(const Label& label, const SeriesScope& scope) {
  if (!label.values.empty()) return static_cast<int>(label.values.size());
  if (label.name == "model") return scope.models;
  if (label.name == "geometry") return scope.geometries;
  return 1;
}

}  // namespace

const char* TypeName(MetricType type) {
  switch (type) {
    case MetricType::kCounter:
      return "counter";
    case MetricType::kGauge:
      return "gauge";
    case MetricType::kHistogram:
      return "histogram";
  }
  return "";
}

const std::vector<MetricRow>& MetricTable() {
  static const std::vector<MetricRow> table = [] {
    std::vector<MetricRow> rows = ServerRows();
    for (auto* part : {&SessionRows, &StreamRows, &KernelRows}) {
      std::vector<MetricRow> more = part();
      rows.insert(rows.end(), std::make_move_iterator(more.begin()),
                  std::make_move_iterator(more.end()));
    }
    return rows;
  }();
  return table;
}

const MetricRow& FindMetric(const std::string& name) {
  const std::vector<MetricRow>& table = MetricTable();
  const auto found = std::find_if(table.begin(), table.end(),
                                  [&](const MetricRow& row) { return row.name == name; });
  if (found == table.end()) throw std::logic_error("no metric of the table: " + name);
  return *found;
}

int SeriesBound(const MetricRow& row, const SeriesScope& scope) {
  int series = 1;
  for (const Label& label : row.labels) series *= Values(label, scope);
  if (row.type == MetricType::kHistogram) series *= static_cast<int>(row.buckets.size()) + 3;
  return series;
}

int SeriesBound(const SeriesScope& scope) {
  int series = 0;
  for (const MetricRow& row : MetricTable()) series += SeriesBound(row, scope);
  return series;
}

}  // namespace causeway::metrics
