// SPDX-License-Identifier: Apache-2.0
#include "server/bench/run_report.h"

#include <thread>
#include <utility>

#include "server/bench/category_table.h"
#include "server/bench/model_choice.h"
#include "server/bench/number_text.h"
#include "server/bench/statistics.h"
#include "server/bench/table.h"

namespace causeway::bench {
namespace {

/// Of latents or chunks: the first is another program than the later ones.
struct Latencies {
  double first_ms = 0;
  Summary later_ms;
};

Latencies LatenciesOf(const std::vector<Nanoseconds>& times) {
  std::vector<double> later;
  for (std::size_t index = 1; index < times.size(); ++index) {
    later.push_back(Milliseconds(times[index]));
  }
  return {Milliseconds(times.front()), Summarise(std::move(later))};
}

std::string MillisecondsText(Nanoseconds duration) {
  return Fixed(Milliseconds(duration), 2) + " ms";
}

std::string ThreadsText(int threads) {
  if (threads > 0) return std::to_string(threads);
  return "one a core (" + std::to_string(std::thread::hardware_concurrency()) + " processors here)";
}

void PrintLatencies(const RunReport& report, std::ostream& out) {
  Table table({{"ms"},
               {"count", Align::kRight},
               {"first", Align::kRight},
               {"later min", Align::kRight},
               {"median", Align::kRight},
               {"p99", Align::kRight},
               {"max", Align::kRight}});
  const auto add = [&](const std::string& name, const std::vector<Nanoseconds>& times) {
    const Latencies latencies = LatenciesOf(times);
    const Summary& later = latencies.later_ms;
    std::vector<std::string> cells{name, Grouped(static_cast<std::int64_t>(times.size())),
                                   Fixed(latencies.first_ms, 2)};
    for (const double value : {later.min, later.median, later.p99, later.max}) {
      cells.push_back(later.count == 0 ? "-" : Fixed(value, 2));
    }
    table.AddRow(std::move(cells));
  };
  add("latent", report.times.latents);
  add("chunk", ChunkTimes(report.times.latents, report.chunks));
  table.Print(out);
}

void WriteLatencies(const char* name, const std::vector<Nanoseconds>& times, JsonWriter& json) {
  const Latencies latencies = LatenciesOf(times);
  json.Name(name).BeginObject();
  json.Name("count").Integer(static_cast<std::int64_t>(times.size()));
  json.Name("first").Real(latencies.first_ms);
  json.Name("later");
  if (latencies.later_ms.count == 0) {
    json.Null().EndObject();
    return;
  }
  json.BeginObject();
  json.Name("min").Real(latencies.later_ms.min).Name("median").Real(latencies.later_ms.median);
  json.Name("p99").Real(latencies.later_ms.p99).Name("max").Real(latencies.later_ms.max);
  json.EndObject().EndObject();
}

}  // namespace

double FramesPerSecond(const RunTimes& times) {
  return static_cast<double>(times.frames) / std::chrono::duration<double>(times.total()).count();
}

double TimedShare(const RunTimes& times) {
  return Milliseconds(CategorySum(times.steps)) / Milliseconds(times.total());
}

void PrintRun(const RunReport& report, std::ostream& out) {
  const RunTimes& times = report.times;
  PrintPairs({{"model", Describe(report.config)},
              {"backend", report.backend + ", threads: " + ThreadsText(report.threads)},
              {"geometry", ToString(report.geometry) + ", " +
                               std::string(frame::PixelFormatName(report.format))},
              {"load", MillisecondsText(report.load) + ", open " + MillisecondsText(report.open)},
              {"decoded", Grouped(times.frames) + " frames in " + MillisecondsText(times.total()) +
                              ": " + Fixed(FramesPerSecond(times), 2) + " fps"},
              {"first frame", "after " + MillisecondsText(times.latents.front())},
              {"state", Mebibytes(static_cast<double>(report.state_bytes)) + " MiB a session"},
              {"peak memory",
               report.peak_resident_bytes
                   ? Mebibytes(static_cast<double>(*report.peak_resident_bytes)) + " MiB resident"
                   : "unknown"}},
             out);
  out << '\n';
  PrintLatencies(report, out);
  out << '\n';
  PrintCategories(times.steps, out);
  out << "\nThe categories hold " << MillisecondsText(CategorySum(times.steps)) << " of "
      << MillisecondsText(times.total())
      << " by the latents' own timestamps: " << Fixed(100 * TimedShare(times), 2) << " %.\n";
}

void WriteRun(const RunReport& report, JsonWriter& json) {
  const RunTimes& times = report.times;
  json.BeginObject();
  json.Name("model").BeginObject();
  json.Name("name").String(report.config.name).Name("family").String(report.config.family);
  json.Name("base_width").Integer(report.config.base_width).EndObject();
  json.Name("backend").String(report.backend);
  json.Name("threads").Integer(report.threads);
  json.Name("processors").Integer(std::thread::hardware_concurrency());
  json.Name("geometry").String(ToString(report.geometry));
  json.Name("format").String(frame::PixelFormatName(report.format));
  json.Name("chunks").BeginArray();
  for (const int chunk : report.chunks) json.Integer(chunk);
  json.EndArray();
  json.Name("frames").Integer(times.frames);
  json.Name("load_ms").Real(Milliseconds(report.load));
  json.Name("open_ms").Real(Milliseconds(report.open));
  json.Name("decode_ms").Real(Milliseconds(times.total()));
  json.Name("fps").Real(FramesPerSecond(times));
  json.Name("first_frame_ms").Real(Milliseconds(times.latents.front()));
  json.Name("state_bytes").Integer(report.state_bytes);
  json.Name("peak_resident_bytes");
  if (report.peak_resident_bytes) {
    json.Integer(*report.peak_resident_bytes);
  } else {
    json.Null();
  }
  WriteLatencies("latent_ms", times.latents, json);
  WriteLatencies("chunk_ms", ChunkTimes(times.latents, report.chunks), json);
  json.Name("categories");
  WriteCategories(times.steps, json);
  json.Name("categories_ms").Real(Milliseconds(CategorySum(times.steps)));
  json.Name("timed_share").Real(TimedShare(times));
  json.EndObject();
}

}  // namespace causeway::bench
