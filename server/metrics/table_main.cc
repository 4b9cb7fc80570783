// SPDX-License-Identifier: Apache-2.0
// causeway-metrics: prints the metric table as JSON, for the generators of deploy/ and for tests.
#include <iostream>

#include "server/base/json_writer.h"
#include "server/metrics/metric_table.h"

namespace causeway::metrics {
namespace {

void WriteNames(JsonWriter& json, const char* name, const std::vector<std::string>& values) {
  json.Name(name).BeginArray();
  for (const std::string& value : values) json.String(value);
  json.EndArray();
}

void WriteRow(JsonWriter& json, const MetricRow& row) {
  json.BeginObject();
  json.Name("name").String(row.name);
  json.Name("type").String(TypeName(row.type));
  json.Name("help").String(row.help);
  json.Name("unit").String(row.unit);
  json.Name("labels").BeginArray();
  for (const Label& label : row.labels) {
    json.BeginObject().Name("name").String(label.name);
    WriteNames(json, "values", label.values);
    json.EndObject();
  }
  json.EndArray();
  json.Name("buckets").BeginArray();
  for (const double edge : row.buckets) json.Real(edge);
  json.EndArray();
  WriteNames(json, "boards", row.boards);
  WriteNames(json, "alerts", row.alerts);
  json.Name("series_per_model").Integer(SeriesBound(row, {1, kMaxGeometryLabels + 1}));
  json.EndObject();
}

}  // namespace
}  // namespace causeway::metrics

int main() {
  causeway::JsonWriter json(1);
  json.BeginArray();
  for (const auto& row : causeway::metrics::MetricTable()) {
    causeway::metrics::WriteRow(json, row);
  }
  json.EndArray();
  std::cout << json.text() << "\n";
  return std::cout.good() ? 0 : 1;
}
