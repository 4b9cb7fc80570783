// SPDX-License-Identifier: Apache-2.0
// The Log of the real server: spdlog, one line an event, as key=value or as JSON.
#pragma once

#include <iosfwd>
#include <memory>
#include <string>

#include "server/base/log.h"
#include "server/base/result.h"

namespace spdlog {
class logger;
}

namespace causeway::config {

class LogWriter : public Log {
 public:
  /// `level`: "debug", "info", "warning" or "error". `format`: "text" or "json". Lines go to
  /// `stream`, which outlives this, and are flushed one by one.
  LogWriter(std::ostream& stream, const std::string& level, const std::string& format);
  ~LogWriter() override;

  /// `level`: "trace", "debug", "info", "warn", "error" or "off"; others fail with kBadOption.
  /// Returns the level before it. At any time.
  Result<std::string> SetLevel(const std::string& level);

  void Write(LogLevel level, std::string_view event,
             std::initializer_list<LogField> fields) override;

 private:
  std::unique_ptr<spdlog::logger> logger_;
  const bool is_json_;
};

}  // namespace causeway::config
