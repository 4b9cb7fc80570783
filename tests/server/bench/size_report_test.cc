// SPDX-License-Identifier: Apache-2.0
#include "server/bench/size_report.h"

#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "server/base/json.h"
#include "tests/server/bench/built_in_plan.h"

namespace causeway::bench {
namespace {

constexpr decoder::Geometry kGeometry{704, 1280};
constexpr std::int64_t kMemory = 141'000'000'000;

std::string Printed(std::optional<std::int64_t> memory_bytes) {
  std::ostringstream out;
  PrintSizes(BuiltInPlan("wan2.1", kGeometry), memory_bytes, out);
  return out.str();
}

JsonValue Written(std::optional<std::int64_t> memory_bytes) {
  JsonWriter json;
  json.BeginObject();
  WriteSizes(BuiltInPlan("wan2.1", kGeometry), memory_bytes, json);
  json.EndObject();
  return ParseJson(json.text());
}

TEST(SizeReport, PrintsTheStateOfASessionInBothSizes) {
  const std::string text = Printed(std::nullopt);
  EXPECT_NE(text.find("state of one session            2,130,698,240   8,128.0     4,064.0\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("sessions in"), std::string::npos);
}

TEST(SizeReport, JsonSaysBytes) {
  const JsonValue written = Written(std::nullopt);
  EXPECT_EQ(written.Find("state_elements")->integer(), 2'130'698'240);
  EXPECT_EQ(written.Find("fp32")->Find("state_bytes")->integer(), 8'522'792'960);
  EXPECT_EQ(written.Find("sixteen_bit")->Find("state_bytes")->integer(), 4'261'396'480);
  EXPECT_EQ(written.Find("sixteen_bit")->Find("weight_bytes")->integer(), 146'591'206);
  EXPECT_EQ(written.Find("memory_bytes"), nullptr);
  EXPECT_EQ(written.Find("fp32")->Find("sessions"), nullptr);
  EXPECT_EQ(written.Find("slot_classes")->array()->size(), 6u);
}

// 141 GB less 293 MB of weights and the activations, by 8.52 GB a session: 15; in 16 bit 32.
TEST(SizeReport, CountsTheSessionsThatFit) {
  const JsonValue written = Written(kMemory);
  EXPECT_EQ(written.Find("fp32")->Find("sessions")->integer(), 15);
  EXPECT_EQ(written.Find("sixteen_bit")->Find("sessions")->integer(), 32);
  EXPECT_NE(Printed(kMemory).find("sessions in 134,468.1 MiB"), std::string::npos);
}

}  // namespace
}  // namespace causeway::bench
