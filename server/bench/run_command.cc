// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>

#include "server/bench/command.h"
#include "server/bench/decode_run.h"
#include "server/bench/flag_values.h"
#include "server/bench/frames_file.h"
#include "server/bench/item_list.h"
#include "server/bench/latent_source.h"
#include "server/bench/peak_memory.h"
#include "server/bench/run_report.h"
#include "server/decoder/backends/backend_table.h"
#include "server/decoder/decoder.h"
#include "server/frame/pixel_format.h"

namespace causeway::bench {
namespace {

using decoder::Geometry;
using decoder::LatentAxes;
using decoder::LatentDomain;
using decoder::LatentShape;
using frame::PixelFormat;
using Clock = std::chrono::steady_clock;

constexpr int kPixelsPerLatent = 8;
constexpr int kDefaultCount = 5;
constexpr int kMaxCount = 1'000'000;
constexpr int kMaxThreads = 1024;

/// Every flag's value. Reading them all before anything is loaded makes a wrong one show at once.
struct Request {
  decoder::DecoderOptions decoder;
  std::optional<LatentFileOptions> file;  // nothing: random latents
  Geometry random_geometry;
  int random_count = 0;
  std::uint64_t seed = 0;
  std::optional<std::vector<int>> chunks;
  PixelFormat format = PixelFormat::kRgb24;
  std::optional<std::string> out_path;
  bool is_json = false;
};

/// Latents come from a file or from the generator; the flags of the other are refused.
void CheckLatentFlags(const Arguments& arguments) {
  const bool is_file = arguments.Has("latents");
  if (is_file == arguments.Has("geometry")) {
    throw UsageError(is_file ? "--geometry: not allowed with --latents, whose size it is"
                             : "--latents: missing, required: --latents FILE, or --geometry HxW "
                               "for random latents");
  }
  const std::vector<std::string> others = is_file
                                              ? std::vector<std::string>{"count", "seed"}
                                              : std::vector<std::string>{"key", "axes", "domain"};
  for (const std::string& name : others) {
    if (arguments.Has(name)) {
      throw UsageError("--" + name + ": allowed only with " +
                       (is_file ? "--geometry" : "--latents"));
    }
  }
}

Request ReadRequest(const Arguments& arguments) {
  CheckLatentFlags(arguments);
  Request request;
  request.decoder.model_path = arguments.Get("model");
  Choices<std::string> backends;
  for (const std::string& name : decoder::BackendNames()) backends.emplace_back(name, name);
  request.decoder.backend = ChoiceFlag(arguments, "backend", backends);
  request.decoder.threads = static_cast<int>(IntegerFlag(arguments, "threads", 0, 0, kMaxThreads));

  if (const std::string* path = arguments.Find("latents")) {
    LatentFileOptions& file = request.file.emplace();
    file.path = *path;
    if (const std::string* key = arguments.Find("key")) file.key = *key;
    file.axes = ChoiceFlag<LatentAxes>(arguments, "axes",
                                       {{"cthw", LatentAxes::kCthw}, {"tchw", LatentAxes::kTchw}});
    file.domain = ChoiceFlag<LatentDomain>(
        arguments, "domain",
        {{"normalised", LatentDomain::kNormalised}, {"raw", LatentDomain::kRaw}});
  } else {
    request.random_geometry = GeometryFlag(arguments, "geometry");
    request.random_count =
        static_cast<int>(IntegerFlag(arguments, "count", kDefaultCount, 1, kMaxCount));
    request.seed = static_cast<std::uint64_t>(
        IntegerFlag(arguments, "seed", 0, 0, std::numeric_limits<std::int64_t>::max()));
  }

  request.chunks = ChunksFlag(arguments, "chunks");
  Choices<PixelFormat> formats;
  for (const PixelFormat format : {PixelFormat::kRgb24, PixelFormat::kI420, PixelFormat::kNv12,
                                   PixelFormat::kRgbF16, PixelFormat::kRgbF32}) {
    formats.emplace_back(frame::PixelFormatName(format), format);
  }
  request.format = ChoiceFlag(arguments, "format", formats);
  if (const std::string* path = arguments.Find("out")) request.out_path = *path;
  request.is_json = arguments.Has("json");
  return request;
}

std::unique_ptr<LatentSource> OpenSource(const Request& request, int channels) {
  if (request.file) return std::make_unique<FileLatents>(*request.file, channels);
  const Geometry& geometry = request.random_geometry;
  return std::make_unique<RandomLatents>(request.seed,
                                         LatentShape{.channels = channels,
                                                     .latents = request.random_count,
                                                     .height = geometry.height / kPixelsPerLatent,
                                                     .width = geometry.width / kPixelsPerLatent});
}

/// Without the flag every latent is a chunk of its own.
std::vector<int> ChunksOf(const Arguments& arguments, const Request& request, int latents) {
  if (!request.chunks) return std::vector<int>(static_cast<std::size_t>(latents), 1);
  const std::vector<int>& chunks = *request.chunks;
  const std::int64_t sum = std::accumulate(chunks.begin(), chunks.end(), std::int64_t{0});
  if (sum == latents) return chunks;
  throw UsageError("--chunks: got " + arguments.Get("chunks") + " (" + std::to_string(sum) +
                   " latents), allowed: chunks that sum to the " + std::to_string(latents) +
                   " latents there are");
}

std::int64_t FrameCount(int latents) {
  return decoder::kFirstLatentFrames + std::int64_t{latents - 1} * decoder::kPerLatentFrames;
}

void RunDecode(const Arguments& arguments, std::ostream& out) {
  const Request request = ReadRequest(arguments);

  Clock::time_point start = Clock::now();
  const decoder::Decoder decoder(request.decoder);
  RunReport report{.config = decoder.config(),
                   .backend = decoder.backend_name(),
                   .threads = request.decoder.threads,
                   .format = request.format,
                   .load = Clock::now() - start};

  const std::unique_ptr<LatentSource> source =
      OpenSource(request, decoder.config().latent_channels);
  const LatentShape& shape = source->shape();
  report.geometry = {shape.height * kPixelsPerLatent, shape.width * kPixelsPerLatent};
  report.chunks = ChunksOf(arguments, request, shape.latents);
  report.state_bytes = decoder.SessionStateBytes(report.geometry);

  start = Clock::now();
  const std::unique_ptr<decoder::DecodeSession> session = decoder.OpenSession(
      {.geometry = report.geometry, .domain = source->domain(), .format = request.format});
  report.open = Clock::now() - start;

  std::optional<FramesFile> file;
  if (request.out_path) {
    file.emplace(*request.out_path, request.format, report.geometry, FrameCount(shape.latents));
  }
  report.times = DecodeAll(*session, *source, [&](const decoder::DecodedLatent& decoded) {
    if (file) file->Append(decoded.pixels);
  });
  if (file) file->Finish();
  report.peak_resident_bytes = PeakResidentBytes();

  if (request.is_json) {
    JsonWriter json(2);
    WriteRun(report, json);
    out << json.text() << '\n';
  } else {
    PrintRun(report, out);
  }
}

std::string BackendPlaceholder() {
  std::string text;
  for (const std::string& name : decoder::BackendNames()) AppendItem(text, name, "|");
  return text;
}

}  // namespace

Command RunCommand() {
  return {
      .name = "run",
      .summary = "decode latents of a file or random ones: fps, latency, time by kernel category",
      .flags = {{"model", "PATH", "a diffusers folder, a safetensors file or a PyTorch checkpoint",
                 true},
                {"latents", "FILE", "safetensors file with the latents", false},
                {"key", "NAME", "its tensor; default latents", false},
                {"axes", "cthw|tchw", "order of its axes; default cthw", false},
                {"domain", "normalised|raw",
                 "whether mean and deviation are still to be applied; default normalised", false},
                {"geometry", "HxW", "instead of --latents: random ones of that picture", false},
                {"count", "N", "random latents; default 5", false},
                {"seed", "S", "of the random latents; default 0", false},
                {"chunks", "1,3,3", "latents a chunk, in order; default one each", false},
                {"backend", BackendPlaceholder(), "default: the first of them", false},
                {"threads", "N", "CPU threads of an operation; default 0, one a core", false},
                {"format", "rgb24|i420|nv12|f16|f32", "of the frames; default rgb24", false},
                {"out", "FILE", "write the frames as safetensors, key frames", false},
                {"json", "", "one JSON object instead of tables", false}},
      .run = RunDecode};
}

}  // namespace causeway::bench
