// SPDX-License-Identifier: Apache-2.0
#include "server/bench/prediction_report.h"

#include <string>

#include "server/bench/number_text.h"
#include "server/bench/table.h"

namespace causeway::bench {
namespace {

using kernels::CostPrediction;

constexpr double kMicroseconds = 1e6;
constexpr double kMilliseconds = 1e3;
constexpr double kTera = 1e12;
constexpr char kNone[] = "-";

std::string Microseconds(double seconds) { return Fixed(seconds * kMicroseconds, 1); }

std::string MicrosecondsOrNone(double seconds) {
  return seconds > 0 ? Microseconds(seconds) : kNone;
}

std::string Ratio(double of, double to) { return of > 0 && to > 0 ? Fixed(of / to, 2) : kNone; }

double TotalOf(const std::optional<CostPrediction>& cost) { return cost ? cost->total : 0; }

std::string BoundOf(const std::optional<CostPrediction>& cost) {
  return cost ? BoundName(cost->bound) : kNone;
}

/// Signature to ratios: what both tables have.
std::vector<Column> CommonColumns() {
  return {{"floor tf32", Align::kRight}, {"floor fp16", Align::kRight},
          {"tf32", Align::kRight},       {"bound"},
          {"fp16", Align::kRight},       {"bound"},
          {"seed conv", Align::kRight},  {"seed row", Align::kRight},
          {"row/tf32", Align::kRight},   {"row/fp16", Align::kRight}};
}

std::vector<std::string> CommonCells(const PredictedConv& conv) {
  const double tf32 = TotalOf(conv.tf32.portable);
  const double fp16 = TotalOf(conv.fp16.portable);
  return {Microseconds(conv.tf32.floor),      Microseconds(conv.fp16.floor),
          MicrosecondsOrNone(tf32),           BoundOf(conv.tf32.portable),
          MicrosecondsOrNone(fp16),           BoundOf(conv.fp16.portable),
          MicrosecondsOrNone(conv.seed_conv), MicrosecondsOrNone(conv.seed_row),
          Ratio(conv.seed_row, tf32),         Ratio(conv.seed_row, fp16)};
}

template <typename T>
std::vector<T> Joined(std::vector<T> first, const std::vector<T>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

/// Over the steps that the portable kernel computes.
void PrintSums(const std::vector<PredictedConv>& convs, std::ostream& out) {
  int steps = 0;
  int predicted = 0;
  double floor_tf32 = 0;
  double floor_fp16 = 0;
  double tf32 = 0;
  double fp16 = 0;
  for (const PredictedConv& conv : convs) {
    steps += conv.steps;
    if (!conv.fp16.portable || !conv.tf32.portable) continue;
    predicted += conv.steps;
    floor_tf32 += conv.steps * conv.tf32.floor;
    floor_fp16 += conv.steps * conv.fp16.floor;
    tf32 += conv.steps * conv.tf32.portable->total;
    fp16 += conv.steps * conv.fp16.portable->total;
  }
  const auto milliseconds = [](double seconds) { return Fixed(seconds * kMilliseconds, 2); };
  PrintPairs({{"convolutions with a prediction",
               std::to_string(predicted) + " of " + std::to_string(steps)},
              {"tf32", milliseconds(tf32) + " ms, floor " + milliseconds(floor_tf32)},
              {"fp16", milliseconds(fp16) + " ms, floor " + milliseconds(floor_fp16)}},
             out);
}

constexpr char kLegend[] =
    "\nus. floor: FLOPs or least bytes at the sustained rates. tf32, fp16 (bf16 alike): the "
    "portable kernel at\nits best, by the model; nothing here was measured. seed: measured with "
    "cuDNN in TF32, its convolution\nalone and the row with its layout conversions. "
    "-: not computed by the kernel, or no such row\n";

void WriteCost(const std::optional<CostPrediction>& cost, JsonWriter& json) {
  if (!cost) {
    json.Null();
    return;
  }
  json.BeginObject();
  json.Name("seconds").Real(cost->total).Name("bound").String(BoundName(cost->bound));
  json.Name("tensor").Real(cost->tensor).Name("shared").Real(cost->shared);
  json.Name("l2").Real(cost->l2).Name("dram").Real(cost->dram);
  json.Name("epilogue").Real(cost->epilogue);
  json.Name("tiles").Integer(cost->tiles).Name("waves").Integer(cost->waves);
  json.EndObject();
}

void WriteSeconds(double seconds, JsonWriter& json) {
  if (seconds > 0) {
    json.Real(seconds);
  } else {
    json.Null();
  }
}

}  // namespace

void PrintPredictions(const std::vector<PredictedConv>& convs, std::ostream& out) {
  Table table(
      Joined<Column>({{"convolution"}, {"epilogue"}, {"steps", Align::kRight}}, CommonColumns()));
  for (const PredictedConv& conv : convs) {
    table.AddRow(Joined<std::string>({conv.signature, conv.epilogue, std::to_string(conv.steps)},
                                     CommonCells(conv)));
  }
  table.Print(out);
  out << kLegend << '\n';
  PrintSums(convs, out);
}

void PrintSeedPredictions(const std::vector<PredictedConv>& convs, std::ostream& out) {
  Table table(Joined<Column>({{"row", Align::kRight}, {"convolution"}},
                             Joined<Column>(CommonColumns(), {{"library", Align::kRight},
                                                              {"library/seed", Align::kRight}})));
  int row = 0;
  for (const PredictedConv& conv : convs) {
    table.AddRow(Joined<std::string>(
        {std::to_string(row++), conv.signature},
        Joined<std::string>(CommonCells(conv), {MicrosecondsOrNone(TotalOf(conv.library)),
                                                Ratio(TotalOf(conv.library), conv.seed_conv)})));
  }
  table.Print(out);
  out << kLegend
      << "library: the seed's own kernel by the model, from the tile in its name; -: it tells "
         "none\n";
}

void PrintDevice(const kernels::DevicePeaks& device, std::ostream& out) {
  out << device.name << " (" << device.architecture << ", " << device.processors
      << " multiprocessors at " << Fixed(device.clock / 1e9, 2) << " GHz): fp16 "
      << Fixed(device.nominal_flops_16 / kTera, 0) << " TFLOP/s nominal, "
      << Fixed(device.sustained_flops_16 / kTera, 0) << " sustained; DRAM "
      << Fixed(device.nominal_dram / kTera, 2) << " and " << Fixed(device.sustained_dram / kTera, 2)
      << " TB/s\n\n";
}

void WritePredictions(const std::vector<PredictedConv>& convs, JsonWriter& json) {
  json.BeginArray();
  for (const PredictedConv& conv : convs) {
    json.BeginObject();
    json.Name("signature").String(conv.signature).Name("epilogue").String(conv.epilogue);
    json.Name("steps").Integer(conv.steps);
    json.Name("floor_fp16").Real(conv.fp16.floor).Name("floor_tf32").Real(conv.tf32.floor);
    json.Name("portable_fp16");
    WriteCost(conv.fp16.portable, json);
    json.Name("portable_tf32");
    WriteCost(conv.tf32.portable, json);
    json.Name("seed_conv");
    WriteSeconds(conv.seed_conv, json);
    json.Name("seed_row");
    WriteSeconds(conv.seed_row, json);
    json.Name("library");
    WriteCost(conv.library, json);
    json.EndObject();
  }
  json.EndArray();
}

}  // namespace causeway::bench
