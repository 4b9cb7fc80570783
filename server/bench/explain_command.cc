// SPDX-License-Identifier: Apache-2.0
#include "server/bench/command.h"
#include "server/bench/explain_report.h"
#include "server/bench/flag_values.h"
#include "server/bench/model_choice.h"
#include "server/bench/plan_sizes.h"
#include "server/decoder/models/registry.h"

namespace causeway::bench {
namespace {

using decoder::Phase;

void RunExplain(const Arguments& arguments, std::ostream& out) {
  const auto phases =
      ChoiceFlag<std::vector<Phase>>(arguments, "phase",
                                     {{"both", {Phase::kFirstLatent, Phase::kLaterLatent}},
                                      {"first", {Phase::kFirstLatent}},
                                      {"later", {Phase::kLaterLatent}}});
  const decoder::Geometry geometry = GeometryFlag(arguments, "geometry");
  const decoder::ModelConfig config = ModelFlag(arguments, "model");
  const decoder::Plan plan = decoder::BuildPlan(config, geometry);

  if (arguments.Has("json")) {
    JsonWriter json(2);
    json.BeginObject();
    json.Name("model").String(config.name).Name("family").String(config.family);
    json.Name("geometry").String(ToString(geometry));
    json.Name("parameters").Integer(ParameterCount(plan));
    json.Name("phases").BeginArray();
    for (const Phase phase : phases) WriteProgram(plan, phase, json);
    json.EndArray().EndObject();
    out << json.text() << '\n';
    return;
  }
  out << Describe(config) << '\n';
  for (const Phase phase : phases) {
    out << '\n';
    PrintProgram(plan, phase, out);
  }
}

}  // namespace

Command ExplainCommand() {
  return {.name = "explain",
          .summary = "the steps of a model at a geometry: shapes, FLOPs, bytes, weights",
          .flags = {{"model", ModelPlaceholder(), "a built-in model or a file or folder", true},
                    {"geometry", "HxW", "height x width of the picture in pixels", true},
                    {"phase", "first|later|both", "which latent; default both", false},
                    {"json", "", "one JSON object instead of tables", false}},
          .run = RunExplain};
}

}  // namespace causeway::bench
