// SPDX-License-Identifier: Apache-2.0
// Structured log lines: an event and its fields. An interface, so that the parts that log need no
// logging library and tests can read what was logged.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace causeway {

enum class LogLevel { kDebug, kInfo, kWarning, kError };

struct LogField {
  std::string_view key;
  std::string value;  // any text, also from a client: the writer quotes it
};

/// Thread-safe.
class Log {
 public:
  virtual ~Log() = default;

  /// Writes one line, for example `event=session_opened session=4f… model=wan21`.
  virtual void Write(LogLevel level, std::string_view event,
                     std::initializer_list<LogField> fields) = 0;
};

}  // namespace causeway
