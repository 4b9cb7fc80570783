// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <ostream>

#include "client/cli/decode_report.h"
#include "server/base/json_writer.h"

namespace causeway::cli {
namespace {

void Write(JsonWriter& json, const std::optional<Percentiles>& seconds) {
  if (!seconds) {
    json.Null();
    return;
  }
  json.BeginObject();
  json.Name("p50").Real(seconds->p50).Name("p90").Real(seconds->p90);
  json.Name("p99").Real(seconds->p99).Name("max").Real(seconds->max);
  json.EndObject();
}

void Write(JsonWriter& json, const ComparisonResult& result) {
  json.BeginObject();
  json.Name("against").String(result.role).Name("path").String(result.path);
  json.Name("frames").Integer(result.psnr ? result.psnr->frames : 0);
  if (result.psnr) {
    json.Name("identical").Boolean(std::isinf(result.psnr->overall_db));
    json.Name("overall_db").Real(result.psnr->overall_db);
    json.Name("first_db").Real(result.psnr->first_db).Name("worst_db").Real(result.psnr->worst_db);
    json.Name("best_db").Real(result.psnr->best_db).Name("last_db").Real(result.psnr->last_db);
  }
  json.EndObject();
}

}  // namespace

void PrintJson(const DecodeReport& report, std::ostream& out) {
  JsonWriter json(2);
  json.BeginObject();
  json.Name("model").String(report.model).Name("backend").String(report.backend);
  json.Name("pixel_format").String(report.pixel_format);
  json.Name("height").Integer(report.height).Name("width").Integer(report.width);
  json.Name("latents").Integer(report.latents).Name("frames").Integer(report.frames);
  json.Name("frames_late").Integer(report.frames_late).Name("dropped_frames").BeginArray();
  for (const std::int64_t index : report.dropped_frames) json.Integer(index);
  json.EndArray().Name("delivery").String(report.delivery);
  json.Name("frame_credits").Integer(report.frame_credits);
  json.Name("checksums").Boolean(report.has_checksums);
  json.Name("chunks").Integer(report.chunks);
  json.Name("chunk_latents").Integer(report.chunk_latents);
  json.Name("pending_chunks").Integer(report.pending_chunks);
  json.Name("open_s").Real(report.open_s).Name("first_frame_s").Real(report.first_frame_s);
  json.Name("total_s").Real(report.total_s).Name("decode_s").Real(report.decode_s);
  json.Name("frames_per_second").Real(report.frames_per_second());
  json.Name("chunk_latency_s");
  Write(json, report.chunk_latency_s);
  json.Name("queue_s");
  Write(json, report.queue_s);
  json.Name("latent_latency_s");
  Write(json, report.latent_latency_s);
  json.Name("round_trip_s");
  Write(json, report.round_trip_s);
  json.Name("psnr").BeginArray();
  for (const ComparisonResult& result : report.comparisons) Write(json, result);
  json.EndArray().Name("kernel").BeginArray();
  for (const KernelRow& row : report.kernel) {
    json.BeginObject();
    json.Name("category").String(row.category).Name("block").String(row.block);
    json.Name("ns").Integer(row.ns).Name("launches").Integer(row.launches);
    json.EndObject();
  }
  json.EndArray().Name("files").BeginArray();
  for (const std::string& file : report.files) json.String(file);
  json.EndArray().EndObject();
  out << json.text() << '\n';
}

}  // namespace causeway::cli
