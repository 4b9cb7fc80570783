// SPDX-License-Identifier: Apache-2.0
#include "client/cli/decode_report.h"

#include <limits>
#include <sstream>

#include <gtest/gtest.h>

#include "server/base/json.h"

namespace causeway::cli {
namespace {

DecodeReport Example() {
  DecodeReport report;
  report.model = "demo";
  report.backend = "reference on cpu";
  report.pixel_format = "rgb24";
  report.height = 192;
  report.width = 320;
  report.latents = 4;
  report.frames = 13;
  report.chunks = 2;
  report.chunk_latents = 3;
  report.pending_chunks = 2;
  report.first_frame_s = 0.25;
  report.total_s = 2;
  report.decode_s = 1.5;
  report.chunk_latency_s = Percentiles{0.5, 0.75, 0.75, 0.75};
  report.queue_s = Percentiles{0.125, 0.25, 0.25, 0.25};
  report.comparisons = {{"source", "a b.mp4", PsnrSummary{13, 27.3811, 27.1, 25.7, 28.4, 28.0}}};
  report.kernel = {{"upsample", "up0", 2'000'000, 8},
                   {"convolution_or_gemm", "up0", 10'000'000, 8},
                   {"convolution_or_gemm", "up1", 8'000'000, 8}};
  report.files = {"out/demo.mp4"};
  return report;
}

std::string Text(const DecodeReport& report) {
  std::ostringstream out;
  PrintText(report, out);
  return out.str();
}

std::string Json(const DecodeReport& report) {
  std::ostringstream out;
  PrintJson(report, out);
  return out.str();
}

void ExpectHas(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "no '" << part << "' in\n" << text;
}

TEST(DecodeReport, SaysForPeopleWhatWasDecodedAndHowFast) {
  const std::string text = Text(Example());
  ExpectHas(text, "4 latents to 13 frames of 320x192 (width x height)");
  ExpectHas(text, "6.5 frames/s");
  ExpectHas(text, "375.0 ms a latent");
  ExpectHas(text, "0.250 s after the first chunk");
  ExpectHas(text, "2 chunks of up to 3 latents, at most 2 on their way");
  ExpectHas(text, "chunk sent to its last frame   p50 0.500 s, p90 0.750 s");
  ExpectHas(text, "of it in the server's queue  p50 0.125 s");
  ExpectHas(text, "27.38 dB against source a b.mp4 (13 frames: first 27.10, worst 25.70");
  ExpectHas(text, "out/demo.mp4");
}

TEST(DecodeReport, SumsBlocksToCategoriesLargestFirst) {
  const std::string text = Text(Example());
  ExpectHas(text,
            "convolution_or_gemm              4.500   90.0 %\n"
            "upsample                         0.500   10.0 %\n");
}

TEST(DecodeReport, LeavesOutWhatWasNotMeasured) {
  const std::string text = Text(DecodeReport());
  EXPECT_EQ(text.find("PSNR"), std::string::npos);
  EXPECT_EQ(text.find("kernel category"), std::string::npos);
  EXPECT_EQ(text.find("p50"), std::string::npos);
  EXPECT_EQ(text.find("nan"), std::string::npos);
}

TEST(DecodeReport, IsJsonWithEveryFigure) {
  const JsonValue json = ParseJson(Json(Example()));
  EXPECT_EQ(json.Find("frames")->integer(), 13);
  EXPECT_EQ(json.Find("total_s")->number(), 2);
  EXPECT_EQ(json.Find("frames_per_second")->number(), 6.5);
  EXPECT_EQ(json.Find("chunk_latency_s")->Find("p99")->number(), 0.75);
  EXPECT_EQ(json.Find("kernel")->array()->size(), 3u);
  EXPECT_EQ(json.Find("psnr")->array()->front().Find("overall_db")->number(), 27.3811);
}

TEST(DecodeReport, SaysHowFramesFlowedAndWhichDidNotCome) {
  DecodeReport report = Example();
  report.delivery = "drop-oldest";
  report.frame_credits = 8;
  report.has_checksums = true;
  report.round_trip_s = Percentiles{0.0005, 0.001, 0.002, 0.0025};
  report.dropped_frames = {3, 7};
  report.frames_late = 4;
  const std::string text = Text(report);
  ExpectHas(text, "delivery drop-oldest, 8 frame credits, checksums on");
  ExpectHas(text, "round trip p50 0.50 ms, max 2.50 ms");
  ExpectHas(text, "2 frames, for a slow consumer");
  ExpectHas(text, "late         4 frames");
  const JsonValue json = ParseJson(Json(report));
  EXPECT_EQ(json.Find("dropped_frames")->array()->size(), 2u);
  EXPECT_EQ(json.Find("frames_late")->integer(), 4);
  EXPECT_EQ(json.Find("frame_credits")->integer(), 8);
  EXPECT_EQ(json.Find("round_trip_s")->Find("max")->number(), 0.0025);
}

TEST(DecodeReport, SaysIdenticalWhereNothingDiffers) {
  DecodeReport report = Example();
  const double infinity = std::numeric_limits<double>::infinity();
  report.comparisons = {
      {"reference", "r.mkv", PsnrSummary{9, infinity, infinity, infinity, infinity, infinity}}};
  ExpectHas(Text(report), "identical to reference r.mkv (9 frames");
  const std::string json = Json(report);
  ExpectHas(json, "\"identical\": true");
  ExpectHas(json, "\"overall_db\": null");
}

}  // namespace
}  // namespace causeway::cli
