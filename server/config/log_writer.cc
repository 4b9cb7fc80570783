// SPDX-License-Identifier: Apache-2.0
#include "server/config/log_writer.h"

#include <algorithm>
#include <cctype>
#include <memory>

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include "server/base/json_writer.h"
#include "server/base/utf8.h"

namespace causeway::config {
namespace {

// Times are UTC: lines of several machines can be merged.
constexpr char kTextPattern[] = "ts=%Y-%m-%dT%H:%M:%S.%eZ level=%l %v";
constexpr char kJsonPattern[] = R"({"ts":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l",%v})";

spdlog::level::level_enum ToSpdlog(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarning:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
  }
  return spdlog::level::err;
}

struct NamedLevel {
  const char* name;
  spdlog::level::level_enum level;
};
constexpr NamedLevel kLevels[] = {
    {"trace", spdlog::level::trace}, {"debug", spdlog::level::debug}, {"info", spdlog::level::info},
    {"warn", spdlog::level::warn},   {"error", spdlog::level::err},   {"off", spdlog::level::off},
};

std::string JsonString(std::string_view text) { return JsonWriter().String(text).text(); }

/// A value that could be taken for more than one, or for none, goes into quotes.
std::string TextValue(std::string_view text) {
  const bool is_plain =
      !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char letter) {
        return letter > ' ' && letter < 0x7f && letter != '"' && letter != '=' && letter != '\\';
      });
  return is_plain ? std::string(text) : JsonString(text);
}

}  // namespace

LogWriter::LogWriter(std::ostream& stream, const std::string& level, const std::string& format)
    : logger_(std::make_unique<spdlog::logger>(
          "causeway", std::make_shared<spdlog::sinks::ostream_sink_mt>(stream, true))),
      is_json_(format == "json") {
  logger_->set_level(spdlog::level::from_str(level));
  logger_->set_formatter(std::make_unique<spdlog::pattern_formatter>(
      is_json_ ? kJsonPattern : kTextPattern, spdlog::pattern_time_type::utc));
}

LogWriter::~LogWriter() = default;

Result<std::string> LogWriter::SetLevel(const std::string& level) {
  std::string previous;
  std::string allowed;
  const NamedLevel* wanted = nullptr;
  for (const NamedLevel& each : kLevels) {
    if (each.level == logger_->level()) previous = each.name;
    if (each.name == level) wanted = &each;
    if (!allowed.empty()) allowed += ", ";
    allowed += each.name;
  }
  if (wanted == nullptr) return BadField(Reason::kBadOption, "level", Quote(level, 64), allowed);
  logger_->set_level(wanted->level);
  return previous;
}

void LogWriter::Write(LogLevel level, std::string_view event,
                      std::initializer_list<LogField> fields) {
  const spdlog::level::level_enum spdlog_level = ToSpdlog(level);
  if (!logger_->should_log(spdlog_level)) return;
  std::string line;
  const auto add = [&](std::string_view key, std::string_view value) {
    if (value.empty()) return;
    if (!line.empty()) line += is_json_ ? ',' : ' ';
    line.append(is_json_ ? JsonString(key) : std::string(key)).append(1, is_json_ ? ':' : '=');
    line.append(is_json_ ? JsonString(value) : TextValue(value));
  };
  add("event", event);
  for (const LogField& field : fields) add(field.key, field.value);
  logger_->log(spdlog_level, spdlog::string_view_t(line));
}

}  // namespace causeway::config
