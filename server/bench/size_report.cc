// SPDX-License-Identifier: Apache-2.0
#include "server/bench/size_report.h"

#include <string>
#include <utility>

#include "server/bench/number_text.h"
#include "server/bench/plan_sizes.h"
#include "server/bench/table.h"

namespace causeway::bench {
namespace {

constexpr std::int64_t kFloatBytes = 4;
constexpr std::int64_t kHalfBytes = 2;

std::string ElementMebibytes(std::int64_t elements, std::int64_t element_bytes) {
  return Mebibytes(static_cast<double>(elements) * static_cast<double>(element_bytes));
}

void PrintSlotClasses(const decoder::Plan& plan, std::ostream& out) {
  Table table({{"slots", Align::kRight},
               {"channels", Align::kRight},
               {"height", Align::kRight},
               {"width", Align::kRight},
               {"frames", Align::kRight},
               {"elements", Align::kRight},
               {"fp32 MiB", Align::kRight},
               {"16-bit MiB", Align::kRight}});
  for (const SlotClass& group : SlotClasses(plan)) {
    table.AddRow({Grouped(group.slots), Grouped(group.shape.channels), Grouped(group.shape.height),
                  Grouped(group.shape.width), Grouped(group.shape.frames),
                  Grouped(group.elements()), ElementMebibytes(group.elements(), kFloatBytes),
                  ElementMebibytes(group.elements(), kHalfBytes)});
  }
  table.AddRule();
  const std::int64_t state = decoder::StateElements(plan);
  table.AddRow({Grouped(static_cast<std::int64_t>(plan.slots.size())), "", "", "", "",
                Grouped(state), ElementMebibytes(state, kFloatBytes),
                ElementMebibytes(state, kHalfBytes)});
  table.Print(out);
}

}  // namespace

void PrintSizes(const decoder::Plan& plan, std::optional<std::int64_t> memory_bytes,
                std::ostream& out) {
  out << "cache slots of one session\n\n";
  PrintSlotClasses(plan, out);

  const PlanSizes sizes = MeasureSizes(plan);
  out << '\n';
  Table table({{"memory"},
               {"elements", Align::kRight},
               {"fp32 MiB", Align::kRight},
               {"16-bit MiB", Align::kRight}});
  const auto add = [&](const std::string& name, std::int64_t elements) {
    table.AddRow({name, Grouped(elements), ElementMebibytes(elements, kFloatBytes),
                  ElementMebibytes(elements, kHalfBytes)});
  };
  add("state of one session", sizes.state);
  add("weights", sizes.parameters);
  add("peak activations of one latent", sizes.peak_activations);
  if (memory_bytes) {
    table.AddRule();
    table.AddRow({"sessions in " + Mebibytes(static_cast<double>(*memory_bytes)) + " MiB", "",
                  Grouped(sizes.SessionsIn(*memory_bytes, kFloatBytes)),
                  Grouped(sizes.SessionsIn(*memory_bytes, kHalfBytes))});
  }
  table.Print(out);
  if (memory_bytes) {
    out << "\nSessions beside one copy of the weights and the activations of one latent at a "
           "time.\n";
  }
}

void WriteSizes(const decoder::Plan& plan, std::optional<std::int64_t> memory_bytes,
                JsonWriter& json) {
  const PlanSizes sizes = MeasureSizes(plan);
  json.Name("slot_classes").BeginArray();
  for (const SlotClass& group : SlotClasses(plan)) {
    json.BeginObject();
    json.Name("slots").Integer(group.slots).Name("channels").Integer(group.shape.channels);
    json.Name("height").Integer(group.shape.height).Name("width").Integer(group.shape.width);
    json.Name("frames").Integer(group.shape.frames).Name("elements").Integer(group.elements());
    json.EndObject();
  }
  json.EndArray();
  json.Name("state_elements").Integer(sizes.state);
  json.Name("parameters").Integer(sizes.parameters);
  json.Name("peak_activation_elements").Integer(sizes.peak_activations);
  if (memory_bytes) json.Name("memory_bytes").Integer(*memory_bytes);
  for (const auto& [name, element_bytes] :
       {std::pair("fp32", kFloatBytes), std::pair("sixteen_bit", kHalfBytes)}) {
    json.Name(name).BeginObject();
    json.Name("state_bytes").Integer(sizes.state * element_bytes);
    json.Name("weight_bytes").Integer(sizes.parameters * element_bytes);
    json.Name("peak_activation_bytes").Integer(sizes.peak_activations * element_bytes);
    if (memory_bytes) json.Name("sessions").Integer(sizes.SessionsIn(*memory_bytes, element_bytes));
    json.EndObject();
  }
}

}  // namespace causeway::bench
