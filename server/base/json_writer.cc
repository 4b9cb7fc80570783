// SPDX-License-Identifier: Apache-2.0
#include "server/base/json_writer.h"

#include <array>
#include <charconv>
#include <cmath>
#include <stdexcept>

#include "server/base/utf8.h"

namespace causeway {
namespace {

template <typename Number>
std::string NumberText(Number value) {
  std::array<char, 32> buffer;  // the longest double has 24 characters, the longest integer 20
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), result.ptr};
}

}  // namespace

JsonWriter& JsonWriter::Name(std::string_view name) {
  if (levels_.empty() || levels_.back().close != '}' || has_name_) {
    throw std::logic_error("JsonWriter: a name outside an object");
  }
  Separate();
  AppendString(name);
  text_ += indent_ > 0 ? ": " : ":";
  has_name_ = true;
  return *this;
}

JsonWriter& JsonWriter::String(std::string_view value) {
  BeforeValue();
  AppendString(value);
  return *this;
}

JsonWriter& JsonWriter::Integer(std::int64_t value) { return Literal(NumberText(value)); }

JsonWriter& JsonWriter::UnsignedInteger(std::uint64_t value) { return Literal(NumberText(value)); }

JsonWriter& JsonWriter::Real(double value) {
  if (!std::isfinite(value)) return Null();
  std::string text = NumberText(value);
  // Without a fraction a large value would read as an integer beyond 64 bits.
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return Literal(text);
}

JsonWriter& JsonWriter::Boolean(bool value) { return Literal(value ? "true" : "false"); }

JsonWriter& JsonWriter::Null() { return Literal("null"); }

JsonWriter& JsonWriter::Value(const JsonValue& value) {
  if (const auto boolean = value.boolean()) return Boolean(*boolean);
  if (const auto integer = value.integer()) return Integer(*integer);
  if (const auto integer = value.unsigned_integer()) return UnsignedInteger(*integer);
  if (const auto number = value.number()) return Real(*number);
  if (value.string() != nullptr) return String(*value.string());
  if (value.array() != nullptr) {
    BeginArray();
    for (const JsonValue& element : *value.array()) Value(element);
    return EndArray();
  }
  if (value.object() != nullptr) {
    BeginObject();
    for (const JsonValue::Member& member : *value.object()) Name(member.name).Value(member.value);
    return EndObject();
  }
  return Null();
}

const std::string& JsonWriter::text() const {
  if (text_.empty() || !levels_.empty()) throw std::logic_error("JsonWriter: an unfinished text");
  return text_;
}

JsonWriter& JsonWriter::Begin(char open, char close) {
  BeforeValue();
  text_ += open;
  levels_.push_back({close});
  return *this;
}

JsonWriter& JsonWriter::End(char close) {
  if (levels_.empty() || levels_.back().close != close || has_name_) {
    throw std::logic_error("JsonWriter: an end without its beginning");
  }
  const bool is_empty = levels_.back().is_empty;
  levels_.pop_back();
  if (!is_empty) NewLine();
  text_ += close;
  return *this;
}

JsonWriter& JsonWriter::Literal(std::string_view literal) {
  BeforeValue();
  text_ += literal;
  return *this;
}

void JsonWriter::BeforeValue() {
  if (levels_.empty()) {
    if (!text_.empty()) throw std::logic_error("JsonWriter: a second document");
  } else if (levels_.back().close == ']') {
    Separate();
  } else if (!has_name_) {
    throw std::logic_error("JsonWriter: a value without its name");
  }
  has_name_ = false;
}

void JsonWriter::Separate() {
  if (!levels_.back().is_empty) text_ += ',';
  levels_.back().is_empty = false;
  NewLine();
}

void JsonWriter::NewLine() {
  if (indent_ == 0) return;
  text_ += '\n';
  text_.append(static_cast<std::size_t>(indent_) * levels_.size(), ' ');
}

void JsonWriter::AppendString(std::string_view value) {
  constexpr std::string_view kHex = "0123456789abcdef";
  text_ += '"';
  for (std::size_t at = 0; at < value.size();) {
    const std::size_t length = Utf8SequenceLength(value, at);
    const auto c = static_cast<unsigned char>(value[at]);
    if (length == 0) {
      AppendUtf8(0xFFFD, text_);
    } else if (c == '"' || c == '\\') {
      text_ += '\\';
      text_ += value[at];
    } else if (c < 0x20) {
      text_ += "\\u00";
      text_ += kHex[c >> 4];
      text_ += kHex[c & 0xF];
    } else {
      text_.append(value, at, length);
    }
    at += length == 0 ? 1 : length;
  }
  text_ += '"';
}

std::string JsonExcerpt(const JsonValue& value, std::size_t max_bytes) {
  std::string text = JsonWriter().Value(value).text();
  if (text.size() <= max_bytes) return text;
  std::size_t end = 0;
  while (end < max_bytes) end += Utf8SequenceLength(text, end);
  return text.substr(0, end) + "...";
}

}  // namespace causeway
