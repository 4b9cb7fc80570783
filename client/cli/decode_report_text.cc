// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <iomanip>
#include <map>
#include <ostream>
#include <sstream>

#include "client/cli/decode_report.h"

namespace causeway::cli {
namespace {

std::string Fixed(double value, int decimals) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(decimals) << value;
  return text.str();
}

std::string Decibels(double db) { return std::isinf(db) ? "identical" : Fixed(db, 2); }

std::ostream& Label(std::ostream& out, const std::string& label) {
  return out << std::left << std::setw(13) << label << std::right;
}

void PrintPercentiles(const std::string& label, const std::string& what,
                      const std::optional<Percentiles>& seconds, std::ostream& out) {
  if (!seconds) return;
  Label(out, label) << std::left << std::setw(31) << what << std::right << "p50 "
                    << Fixed(seconds->p50, 3) << " s, p90 " << Fixed(seconds->p90, 3) << " s, p99 "
                    << Fixed(seconds->p99, 3) << " s, max " << Fixed(seconds->max, 3) << " s\n";
}

void PrintLatency(const DecodeReport& report, std::ostream& out) {
  Label(out, "latency") << report.chunks << " chunks of up to " << report.chunk_latents
                        << " latents, at most " << report.pending_chunks
                        << " on their way at a time\n";
  PrintPercentiles("", "chunk sent to its last frame", report.chunk_latency_s, out);
  PrintPercentiles("", "  of it in the server's queue", report.queue_s, out);
  PrintPercentiles("", "to the last of each latent", report.latent_latency_s, out);
}

void PrintFlow(const DecodeReport& report, std::ostream& out) {
  if (report.frame_credits > 0) {
    Label(out, "flow") << "delivery " << report.delivery << ", " << report.frame_credits
                       << " frame credits, checksums " << (report.has_checksums ? "on" : "off");
    if (report.round_trip_s) {
      out << ", round trip p50 " << Fixed(report.round_trip_s->p50 * 1e3, 2) << " ms, max "
          << Fixed(report.round_trip_s->max * 1e3, 2) << " ms";
    }
    out << '\n';
  }
  if (!report.dropped_frames.empty()) {
    Label(out, "dropped") << report.dropped_frames.size()
                          << " frames, for a slow consumer: the outputs repeat the frame before\n";
  }
  if (report.frames_late > 0) Label(out, "late") << report.frames_late << " frames\n";
}

void PrintComparison(const ComparisonResult& result, std::ostream& out) {
  Label(out, "PSNR");
  if (!result.psnr) {
    out << "no frame to compare in " << result.role << ' ' << result.path << '\n';
    return;
  }
  const PsnrSummary& psnr = *result.psnr;
  out << Decibels(psnr.overall_db) << (std::isinf(psnr.overall_db) ? " to " : " dB against ")
      << result.role << ' ' << result.path << " (" << psnr.frames << " frames: first "
      << Decibels(psnr.first_db) << ", worst " << Decibels(psnr.worst_db) << ", best "
      << Decibels(psnr.best_db) << ", last " << Decibels(psnr.last_db) << ")\n";
}

void PrintKernel(const DecodeReport& report, std::ostream& out) {
  std::map<std::string, std::int64_t> by_category;
  std::int64_t total = 0;
  for (const KernelRow& row : report.kernel) {
    by_category[row.category] += row.ns;
    total += row.ns;
  }
  if (total == 0) return;
  std::vector<std::pair<std::string, std::int64_t>> rows(by_category.begin(), by_category.end());
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  out << '\n'
      << std::left << std::setw(24) << "kernel category" << std::right << std::setw(14)
      << "ms a latent" << std::setw(9) << "share" << '\n';
  const double latents = static_cast<double>(std::max<std::int64_t>(report.latents, 1));
  for (const auto& [category, ns] : rows) {
    if (ns == 0) continue;
    const double share = 100.0 * static_cast<double>(ns) / static_cast<double>(total);
    out << std::left << std::setw(24) << category << std::right << std::setw(14)
        << Fixed(static_cast<double>(ns) / 1e6 / latents, 3) << std::setw(7) << Fixed(share, 1)
        << " %\n";
  }
}

}  // namespace

void PrintText(const DecodeReport& report, std::ostream& out) {
  const double latents = static_cast<double>(std::max<std::int64_t>(report.latents, 1));
  Label(out, "decoded") << report.latents << " latents to " << report.frames << " frames of "
                        << report.width << "x" << report.height << " (width x height), "
                        << report.pixel_format << '\n';
  Label(out, "by") << "model " << report.model << " on " << report.backend << '\n';
  Label(out, "speed") << Fixed(report.frames_per_second(), 1)
                      << " frames/s: " << Fixed(report.total_s, 2) << " s, of which the decoder "
                      << Fixed(report.decode_s, 2) << " s ("
                      << Fixed(report.decode_s * 1e3 / latents, 1) << " ms a latent)\n";
  Label(out, "first frame") << Fixed(report.first_frame_s, 3)
                            << " s after the first chunk was sent; the session opened in "
                            << Fixed(report.open_s, 3) << " s\n";
  PrintLatency(report, out);
  PrintFlow(report, out);
  for (const ComparisonResult& result : report.comparisons) PrintComparison(result, out);
  PrintKernel(report, out);
  if (!report.files.empty()) out << '\n';
  for (const std::string& file : report.files) Label(out, "written") << file << '\n';
}

}  // namespace causeway::cli
