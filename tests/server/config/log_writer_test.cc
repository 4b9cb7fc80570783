// SPDX-License-Identifier: Apache-2.0
#include "server/config/log_writer.h"

#include <sstream>

#include <gtest/gtest.h>

#include "server/base/json.h"

namespace causeway::config {
namespace {

TEST(LogWriter, WritesKeysAndValues) {
  std::ostringstream stream;
  LogWriter log(stream, "info", "text");
  log.Write(LogLevel::kInfo, "session_opened", {{"session", "4f"}, {"frames", "12"}});
  const std::string text = stream.str();
  constexpr std::size_t kTimeLength = sizeof("ts=2026-12-01T16:30:15.745Z") - 1;
  EXPECT_EQ(text.substr(0, 3), "ts=");
  EXPECT_EQ(text.substr(kTimeLength), " level=info event=session_opened session=4f frames=12\n");
}

TEST(LogWriter, AClientCannotForgeALineOrAField) {
  std::ostringstream stream;
  LogWriter log(stream, "info", "text");
  log.Write(LogLevel::kInfo, "x", {{"client_ref", "a\nts=1 level=error event=forged"}});
  const std::string text = stream.str();
  EXPECT_EQ(text.find('\n'), text.size() - 1);
  EXPECT_NE(text.find(R"(client_ref="a\u000ats=1 level=error event=forged")"), std::string::npos)
      << text;
}

TEST(LogWriter, TakesNoBracesForAFormat) {
  std::ostringstream stream;
  LogWriter log(stream, "info", "text");
  log.Write(LogLevel::kInfo, "x", {{"client_ref", "{}{0}%v"}});
  EXPECT_NE(stream.str().find("client_ref={}{0}%v"), std::string::npos) << stream.str();
}

TEST(LogWriter, WritesJson) {
  std::ostringstream stream;
  LogWriter log(stream, "info", "json");
  log.Write(LogLevel::kWarning, "session_ended", {{"message", "a \"b\"\n"}});
  const JsonValue line = ParseJson(stream.str());
  EXPECT_EQ(*line.Find("level")->string(), "warning");
  EXPECT_EQ(*line.Find("event")->string(), "session_ended");
  EXPECT_EQ(*line.Find("message")->string(), "a \"b\"\n");
}

TEST(LogWriter, LeavesOutWhatIsBelowItsLevelAndFieldsWithoutAValue) {
  std::ostringstream stream;
  LogWriter log(stream, "warning", "text");
  log.Write(LogLevel::kInfo, "quiet", {});
  EXPECT_EQ(stream.str(), "");
  log.Write(LogLevel::kError, "loud", {{"empty", ""}});
  EXPECT_EQ(stream.str().find("empty"), std::string::npos);
  EXPECT_NE(stream.str().find("level=error event=loud"), std::string::npos);
}

TEST(LogWriter, ChangesItsLevelAndTellsTheOneBefore) {
  std::ostringstream stream;
  LogWriter log(stream, "warning", "text");
  EXPECT_EQ(log.SetLevel("debug").value(), "warn");
  log.Write(LogLevel::kDebug, "seen", {});
  EXPECT_EQ(log.SetLevel("off").value(), "debug");
  log.Write(LogLevel::kError, "unseen", {});
  EXPECT_EQ(log.SetLevel("info").value(), "off");
  EXPECT_NE(stream.str().find("event=seen"), std::string::npos);
  EXPECT_EQ(stream.str().find("event=unseen"), std::string::npos);
  const Failure failure = log.SetLevel("loud").failure();
  EXPECT_EQ(failure.reason, Reason::kBadOption);
  EXPECT_EQ(failure.allowed, "trace, debug, info, warn, error, off");
  EXPECT_EQ(log.SetLevel("info").value(), "info");
}

}  // namespace
}  // namespace causeway::config
