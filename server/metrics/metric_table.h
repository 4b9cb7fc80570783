// SPDX-License-Identifier: Apache-2.0
// Every metric of the server: the one table that registration, documentation, boards, rules and
// tests come from. Names and labels are an interface: a metric is not renamed, only retired.
#pragma once

#include <string>
#include <vector>

namespace causeway::metrics {

enum class MetricType { kCounter, kGauge, kHistogram };

/// "counter", "gauge", "histogram".
const char* TypeName(MetricType type);

struct Label {
  std::string name;
  /// All values there are; none: what the server's settings give (models, geometries, version).
  std::vector<std::string> values;
};

struct MetricRow {
  std::string name;
  MetricType type = MetricType::kCounter;
  std::string help;
  std::string unit;  // "seconds", "bytes", "ratio"; a plural noun for what is counted; "" for infos
  std::vector<Label> labels;
  std::vector<double> buckets;      // upper edges of a histogram, without +Inf
  std::vector<std::string> boards;  // that show it (deploy/grafana)
  std::vector<std::string> alerts;  // that watch it (deploy/prometheus)
};

/// In the order of the documentation.
const std::vector<MetricRow>& MetricTable();

/// The row of that name. Throws std::logic_error where there is none.
const MetricRow& FindMetric(const std::string& name);

/// What a server is set up with, as far as the number of its series goes.
struct SeriesScope {
  int models = 1;
  int geometries = 1;  // label values: those that are allowed, and "other"
};

/// Series (lines of a scrape) of one row: one for each combination of label values, for histograms
/// times its buckets, +Inf, sum and count.
int SeriesBound(const MetricRow& row, const SeriesScope& scope);

/// Of the whole table.
int SeriesBound(const SeriesScope& scope);

/// Geometries with a label value of their own; those beyond, and any that is not configured, are
/// "other".
inline constexpr int kMaxGeometryLabels = 6;
inline constexpr char kOtherGeometry[] = "other";

}  // namespace causeway::metrics
