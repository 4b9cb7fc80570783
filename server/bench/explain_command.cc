// SPDX-License-Identifier: Apache-2.0
#include "server/bench/command.h"
#include "server/bench/conv_prediction.h"
#include "server/bench/explain_report.h"
#include "server/bench/flag_values.h"
#include "server/bench/model_choice.h"
#include "server/bench/plan_sizes.h"
#include "server/bench/prediction_report.h"
#include "server/decoder/models/registry.h"

namespace causeway::bench {
namespace {

using decoder::Phase;

std::string KnownDeviceNames() {
  std::string names;
  for (const kernels::DevicePeaks& device : kernels::KnownDevices()) {
    AppendItem(names, device.name);
  }
  return names;
}

kernels::DevicePeaks DeviceFlag(const Arguments& arguments, std::string_view name) {
  const std::string& got = arguments.Get(name);
  if (const auto device = kernels::FindDevice(got)) return *device;
  throw BadFlag(name, got, KnownDeviceNames());
}

/// The rows of the seed profile on a device, which need no model.
void RunSeed(const Arguments& arguments, std::ostream& out) {
  for (const std::string_view other : {"geometry", "phase"}) {
    if (arguments.Has(other)) {
      throw UsageError("--" + std::string(other) + ": allowed only with --model");
    }
  }
  const kernels::DevicePeaks device = DeviceFlag(arguments, "device-peaks");
  const std::vector<PredictedConv> convs = PredictSeed(device);
  if (arguments.Has("json")) {
    JsonWriter json(2);
    json.BeginObject().Name("device").String(device.name).Name("seed");
    WritePredictions(convs, json);
    json.EndObject();
    out << json.text() << '\n';
    return;
  }
  PrintDevice(device, out);
  PrintSeedPredictions(convs, out);
}

void RequireFlag(const Arguments& arguments, std::string_view name, std::string_view placeholder) {
  if (arguments.Has(name)) return;
  const std::string flag = "--" + std::string(name);
  throw UsageError(flag + ": missing, required: " + flag + " " + std::string(placeholder));
}

void PredictPlan(const decoder::Plan& plan, const std::vector<Phase>& phases,
                 const Arguments& arguments, std::ostream& out) {
  const kernels::DevicePeaks device = DeviceFlag(arguments, "device-peaks");
  if (arguments.Has("json")) {
    JsonWriter json(2);
    json.BeginObject().Name("device").String(device.name);
    json.Name("geometry").String(ToString(plan.geometry));
    for (const Phase phase : phases) {
      json.Name(phase == Phase::kFirstLatent ? "first" : "later");
      WritePredictions(PredictProgram(plan.program(phase), device), json);
    }
    json.EndObject();
    out << json.text() << '\n';
    return;
  }
  PrintDevice(device, out);
  for (const Phase phase : phases) {
    out << PhaseName(phase) << ", " << ToString(plan.geometry) << "\n\n";
    PrintPredictions(PredictProgram(plan.program(phase), device), out);
    if (phase != phases.back()) out << '\n';
  }
}

void RunExplain(const Arguments& arguments, std::ostream& out) {
  if (arguments.Has("device-peaks") && !arguments.Has("model")) return RunSeed(arguments, out);
  RequireFlag(arguments, "model", ModelPlaceholder());
  RequireFlag(arguments, "geometry", "HxW");
  const auto phases =
      ChoiceFlag<std::vector<Phase>>(arguments, "phase",
                                     {{"both", {Phase::kFirstLatent, Phase::kLaterLatent}},
                                      {"first", {Phase::kFirstLatent}},
                                      {"later", {Phase::kLaterLatent}}});
  const decoder::Geometry geometry = GeometryFlag(arguments, "geometry");
  const decoder::ModelConfig config = ModelFlag(arguments, "model");
  const decoder::Plan plan = decoder::BuildPlan(config, geometry);
  if (arguments.Has("device-peaks")) return PredictPlan(plan, phases, arguments, out);

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
          .flags = {{"model", ModelPlaceholder(), "a built-in model or a file or folder", false},
                    {"geometry", "HxW", "height x width of the picture in pixels", false},
                    {"phase", "first|later|both", "which latent; default both", false},
                    {"device-peaks", "DEVICE",
                     "predict each convolution's time there instead, without --model of the seed "
                     "profile: " +
                         KnownDeviceNames(),
                     false},
                    {"json", "", "one JSON object instead of tables", false}},
          .run = RunExplain};
}

}  // namespace causeway::bench
