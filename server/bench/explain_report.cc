// SPDX-License-Identifier: Apache-2.0
#include "server/bench/explain_report.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "server/bench/item_list.h"
#include "server/bench/number_text.h"
#include "server/bench/plan_sizes.h"
#include "server/bench/table.h"

namespace causeway::bench {
namespace {

using decoder::ActivationShape;
using decoder::Block;
using decoder::Epilogue;
using decoder::kNoSlot;
using decoder::kNoValue;
using decoder::NormKind;
using decoder::Phase;
using decoder::Plan;
using decoder::Program;
using decoder::ProgramTotals;
using decoder::Step;

constexpr double kFloatBytes = 4;

std::string KernelText(const Step& step) {
  if (step.weight.empty()) return "-";
  const std::string plane =
      std::to_string(step.kernel.height) + "x" + std::to_string(step.kernel.width);
  return step.is_3d ? std::to_string(step.kernel.time) + "x" + plane : plane;
}

std::string ExtentsText(const ActivationShape& shape) {
  return std::to_string(shape.frames) + "," + std::to_string(shape.channels) + "," +
         std::to_string(shape.height) + "," + std::to_string(shape.width);
}

const char* NormName(NormKind norm) {
  switch (norm) {
    case NormKind::kNone:
      return "none";
    case NormKind::kRms:
      return "rms";
    case NormKind::kRmsSilu:
      return "rms_silu";
  }
  return "none";
}

std::string Gigaflop(std::int64_t flops) {
  return Fixed(static_cast<double>(flops) / kGigaflop, 2);
}

std::string FloatMebibytes(std::int64_t elements) {
  return Mebibytes(kFloatBytes * static_cast<double>(elements));
}

void PrintSteps(const Program& program, std::ostream& out) {
  Table table({{"step"},
               {"kind"},
               {"kernel"},
               {"input"},
               {"output"},
               {"slot", Align::kRight},
               {"epilogue"},
               {"category"},
               {"GFLOP", Align::kRight},
               {"executed", Align::kRight},
               {"moved", Align::kRight},
               {"weight", Align::kRight}});
  std::optional<Block> block;
  for (const Step& step : program.steps) {
    if (block != step.block) {
      block = step.block;
      table.AddHeading(std::string("block ") + BlockName(step.block));
    }
    table.AddRow({step.name, StepKindName(step.kind), KernelText(step), ExtentsText(step.input),
                  ExtentsText(step.output),
                  step.cache_slot == kNoSlot ? "-" : std::to_string(step.cache_slot),
                  EpilogueText(step.epilogue), CategoryName(step.category), Gigaflop(step.flops),
                  Gigaflop(step.executed_flops), FloatMebibytes(step.activation_elements),
                  FloatMebibytes(step.weight_elements)});
  }
  table.Print(out);
}

void PrintTotals(const Plan& plan, const Program& program, std::ostream& out) {
  const ProgramTotals totals = decoder::Sum(program);
  const double whole = static_cast<double>(totals.flops);
  Table table({{"total"}, {"GFLOP", Align::kRight}, {"share", Align::kRight}});
  const auto add = [&](const std::string& name, std::int64_t flops) {
    table.AddRow({name, Gigaflop(flops), Percent(static_cast<double>(flops), whole)});
  };
  add("as defined", totals.flops);
  add("  conv3d", totals.conv3d_flops);
  add("  conv2d", totals.conv2d_flops);
  add("    of it after upsampling", totals.upsample_flops);
  add("  attention core", totals.attention_flops);
  add("executed", totals.executed_flops);
  table.Print(out);
  out << '\n';
  PrintPairs(
      {{"steps", Grouped(static_cast<std::int64_t>(program.steps.size()))},
       {"activations moved", FloatMebibytes(totals.activation_elements) + " MiB in fp32, " +
                                 FloatMebibytes(totals.activation_elements / 2) + " in 16 bit"},
       {"peak activations", FloatMebibytes(PeakActivationElements(program)) + " MiB in fp32, " +
                                FloatMebibytes(PeakActivationElements(program) / 2) + " in 16 bit"},
       {"parameters of the model", Grouped(ParameterCount(plan))}},
      out);
}

void WriteShape(const char* name, const ActivationShape& shape, JsonWriter& json) {
  json.Name(name).BeginArray();
  for (const int extent : {shape.frames, shape.channels, shape.height, shape.width}) {
    json.Integer(extent);
  }
  json.EndArray();
}

void WriteStep(const Step& step, JsonWriter& json) {
  json.BeginObject();
  json.Name("name").String(step.name).Name("kind").String(StepKindName(step.kind));
  json.Name("block").String(BlockName(step.block));
  json.Name("category").String(CategoryName(step.category));
  json.Name("kernel").String(KernelText(step));
  WriteShape("input_fchw", step.input, json);
  WriteShape("output_fchw", step.output, json);
  json.Name("cache_slot");
  if (step.cache_slot == kNoSlot) {
    json.Null();
  } else {
    json.Integer(step.cache_slot);
  }
  json.Name("adds_residual").Boolean(step.epilogue.residual != kNoValue);
  json.Name("stores_raw").Boolean(step.epilogue.raw_output != kNoValue);
  json.Name("norm").String(NormName(step.epilogue.norm));
  json.Name("weight").String(step.weight);
  json.Name("flops").Integer(step.flops).Name("executed_flops").Integer(step.executed_flops);
  json.Name("activation_elements").Integer(step.activation_elements);
  json.Name("weight_elements").Integer(step.weight_elements);
  json.EndObject();
}

}  // namespace

std::string EpilogueText(const Epilogue& epilogue) {
  std::string text;
  const auto append = [&](std::string_view part) { AppendItem(text, part, ","); };
  if (epilogue.residual != kNoValue) append("add");
  if (epilogue.raw_output != kNoValue) append("raw");
  if (epilogue.norm != NormKind::kNone) append(NormName(epilogue.norm));
  return text;
}

void PrintProgram(const Plan& plan, Phase phase, std::ostream& out) {
  const Program& program = plan.program(phase);
  out << PhaseName(phase) << ", " << ToString(plan.geometry) << ": "
      << program.steps.back().output.frames
      << (phase == Phase::kFirstLatent ? " frame\n\n" : " frames\n\n");
  PrintSteps(program, out);
  out << "\ninput, output: frames,channels,height,width; GFLOP as defined, and executed after "
         "exact "
         "savings; MiB of fp32 activations moved, and of weights\n\n";
  PrintTotals(plan, program, out);
}

void WriteProgram(const Plan& plan, Phase phase, JsonWriter& json) {
  const Program& program = plan.program(phase);
  const ProgramTotals totals = decoder::Sum(program);
  json.BeginObject();
  json.Name("phase").String(phase == Phase::kFirstLatent ? "first" : "later");
  json.Name("frames").Integer(program.steps.back().output.frames);
  json.Name("steps").BeginArray();
  for (const Step& step : program.steps) WriteStep(step, json);
  json.EndArray();
  json.Name("totals").BeginObject();
  const std::pair<const char*, std::int64_t> entries[] = {
      {"flops", totals.flops},
      {"conv3d_flops", totals.conv3d_flops},
      {"conv2d_flops", totals.conv2d_flops},
      {"upsample_conv2d_flops", totals.upsample_flops},
      {"attention_flops", totals.attention_flops},
      {"executed_flops", totals.executed_flops},
      {"activation_elements", totals.activation_elements},
      {"peak_activation_elements", PeakActivationElements(program)}};
  for (const auto& [name, value] : entries) json.Name(name).Integer(value);
  json.EndObject().EndObject();
}

}  // namespace causeway::bench
