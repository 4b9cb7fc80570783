// SPDX-License-Identifier: Apache-2.0
// Writes JSON text piece by piece: reports of causeway-bench, safetensors headers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "server/base/json.h"

namespace causeway {

/// Calls follow the text from front to back. A call that does not fit (a value in an object
/// without its Name, an End without its Begin, a second document) throws std::logic_error.
class JsonWriter {
 public:
  /// indent: blanks a level; 0 writes everything on one line without blanks.
  explicit JsonWriter(int indent = 0) : indent_(indent) {}

  JsonWriter& BeginObject() { return Begin('{', '}'); }
  JsonWriter& EndObject() { return End('}'); }
  JsonWriter& BeginArray() { return Begin('[', ']'); }
  JsonWriter& EndArray() { return End(']'); }
  /// The name of the next value. Names in one object must differ; this is not checked.
  JsonWriter& Name(std::string_view name);

  /// Bytes that are not UTF-8 become U+FFFD.
  JsonWriter& String(std::string_view value);
  JsonWriter& Integer(std::int64_t value);
  JsonWriter& UnsignedInteger(std::uint64_t value);
  /// The shortest text that reads back as the same double; null for a value that is not finite,
  /// which JSON cannot say.
  JsonWriter& Real(double value);
  JsonWriter& Boolean(bool value);
  JsonWriter& Null();
  JsonWriter& Value(const JsonValue& value);

  /// The whole text. Throws std::logic_error where something is still open.
  const std::string& text() const;

 private:
  struct Level {
    char close;
    bool is_empty = true;
  };

  JsonWriter& Begin(char open, char close);
  JsonWriter& End(char close);
  JsonWriter& Literal(std::string_view literal);
  void BeforeValue();
  void Separate();
  void NewLine();
  void AppendString(std::string_view value);

  int indent_;
  std::string text_;
  std::vector<Level> levels_;
  bool has_name_ = false;
};

/// The value on one line, cut after about `max_bytes`: for the "got" of a message.
std::string JsonExcerpt(const JsonValue& value, std::size_t max_bytes = 80);

}  // namespace causeway
