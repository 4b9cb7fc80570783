// SPDX-License-Identifier: Apache-2.0
#include "server/bench/command.h"
#include "server/bench/flag_values.h"
#include "server/bench/model_choice.h"
#include "server/bench/size_report.h"
#include "server/decoder/models/registry.h"

namespace causeway::bench {
namespace {

void RunSize(const Arguments& arguments, std::ostream& out) {
  const std::optional<std::int64_t> memory_bytes = BytesFlag(arguments, "memory");
  const decoder::Geometry geometry = GeometryFlag(arguments, "geometry");
  const decoder::ModelConfig config = ModelFlag(arguments, "model");
  const decoder::Plan plan = decoder::BuildPlan(config, geometry);

  if (arguments.Has("json")) {
    JsonWriter json(2);
    json.BeginObject();
    json.Name("model").String(config.name).Name("family").String(config.family);
    json.Name("geometry").String(ToString(geometry));
    WriteSizes(plan, memory_bytes, json);
    json.EndObject();
    out << json.text() << '\n';
    return;
  }
  out << Describe(config) << ", " << ToString(geometry) << "\n\n";
  PrintSizes(plan, memory_bytes, out);
}

}  // namespace

Command SizeCommand() {
  return {
      .name = "size",
      .summary = "the memory of a session, of the weights, and the sessions that fit",
      .flags = {{"model", ModelPlaceholder(), "a built-in model or a file or folder", true},
                {"geometry", "HxW", "height x width of the picture in pixels", true},
                {"memory", "SIZE", "count the sessions that fit, such as 141GB or 80GiB", false},
                {"json", "", "one JSON object instead of tables", false}},
      .run = RunSize};
}

}  // namespace causeway::bench
