// SPDX-License-Identifier: Apache-2.0
#include "server/base/json.h"

#include <charconv>
#include <limits>
#include <system_error>
#include <unordered_set>
#include <utility>

#include "server/base/utf8.h"

namespace causeway {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  JsonValue ParseDocument() {
    JsonValue value = ParseValue(0);
    SkipSpace();
    if (at_ != text_.size()) throw JsonError(at_, "text after the end of the value");
    return value;
  }

 private:
  // A NUL byte is no part of any JSON token, so it can stand for the end of the text.
  char Peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  void SkipSpace() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r')) {
      ++at_;
    }
  }

  [[noreturn]] void Unexpected(const std::string& expected) const {
    if (at_ >= text_.size()) throw JsonError(at_, "the text ends, expected " + expected);
    throw JsonError(at_, "got " + Quote(text_.substr(at_, 1)) + ", expected " + expected);
  }

  JsonValue ParseValue(int depth) {
    SkipSpace();
    switch (Peek()) {
      case '{':
        return ParseObject(depth + 1);
      case '[':
        return ParseArray(depth + 1);
      case '"':
        return JsonValue(ParseString());
      case 't':
        ParseWord("true");
        return JsonValue(true);
      case 'f':
        ParseWord("false");
        return JsonValue(false);
      case 'n':
        ParseWord("null");
        return JsonValue();
      default:
        return ParseNumber();
    }
  }

  void CheckDepth(int depth) const {
    if (depth > kMaxJsonDepth) {
      throw JsonError(at_, "nested deeper than " + std::to_string(kMaxJsonDepth) + " levels");
    }
  }

  JsonValue ParseObject(int depth) {
    CheckDepth(depth);
    ++at_;
    JsonValue::Object members;
    std::unordered_set<std::string> names;
    SkipSpace();
    if (Peek() == '}') {
      ++at_;
      return JsonValue(std::move(members));
    }
    while (true) {
      SkipSpace();
      if (Peek() != '"') Unexpected("a name in double quotes");
      const std::size_t name_at = at_;
      std::string name = ParseString();
      if (!names.insert(name).second) {
        throw JsonError(name_at, "the name " + Quote(name) + " for the second time");
      }
      SkipSpace();
      if (Peek() != ':') Unexpected("':'");
      ++at_;
      JsonValue value = ParseValue(depth);
      members.push_back({std::move(name), std::move(value)});
      SkipSpace();
      if (Peek() == '}') break;
      if (Peek() != ',') Unexpected("',' or '}'");
      ++at_;
    }
    ++at_;
    return JsonValue(std::move(members));
  }

  JsonValue ParseArray(int depth) {
    CheckDepth(depth);
    ++at_;
    JsonValue::Array elements;
    SkipSpace();
    if (Peek() == ']') {
      ++at_;
      return JsonValue(std::move(elements));
    }
    while (true) {
      elements.push_back(ParseValue(depth));
      SkipSpace();
      if (Peek() == ']') break;
      if (Peek() != ',') Unexpected("',' or ']'");
      ++at_;
    }
    ++at_;
    return JsonValue(std::move(elements));
  }

  void ParseWord(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) Unexpected(std::string(word));
    at_ += word.size();
  }

  std::string ParseString() {
    const std::size_t start = at_++;
    std::string value;
    while (true) {
      if (at_ >= text_.size()) throw JsonError(start, "a string without end");
      const char c = text_[at_];
      if (c == '"') break;
      if (c == '\\') {
        ParseEscape(value);
        continue;
      }
      if (static_cast<unsigned char>(c) < 0x20) {
        throw JsonError(at_, "a control character inside a string");
      }
      const std::size_t length = Utf8SequenceLength(text_, at_);
      if (length == 0) throw JsonError(at_, "not UTF-8");
      value.append(text_, at_, length);
      at_ += length;
    }
    ++at_;
    return value;
  }

  void ParseEscape(std::string& value) {
    const std::size_t start = at_++;
    constexpr std::string_view kNames = "\"\\/bfnrt";
    constexpr std::string_view kValues = "\"\\/\b\f\n\r\t";
    const char name = Peek();
    if (name == 'u') {
      ++at_;
      AppendUtf8(ParseCodePoint(start), value);
      return;
    }
    const std::size_t index = kNames.find(name);
    if (index == std::string_view::npos) throw JsonError(start, "an unknown escape");
    value += kValues[index];
    ++at_;
  }

  char32_t ParseCodePoint(std::size_t start) {
    const char32_t first = ParseHex4(start);
    if (first < 0xD800 || first > 0xDFFF) return first;
    const bool is_high = first <= 0xDBFF;
    if (!is_high || text_.substr(at_, 2) != "\\u") throw JsonError(start, "half a surrogate pair");
    at_ += 2;
    const char32_t second = ParseHex4(start);
    if (second < 0xDC00 || second > 0xDFFF) throw JsonError(start, "half a surrogate pair");
    return 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
  }

  char32_t ParseHex4(std::size_t start) {
    const std::string_view digits = text_.substr(at_, 4);
    std::uint32_t value = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    if (error != std::errc() || end != digits.data() + 4) {
      throw JsonError(start, "\\u without four hexadecimal digits");
    }
    at_ += 4;
    return value;
  }

  void SkipDigits() {
    if (!IsDigit(Peek())) Unexpected("a digit");
    while (IsDigit(Peek())) ++at_;
  }

  JsonValue ParseNumber() {
    const std::size_t start = at_;
    const bool is_negative = Peek() == '-';
    if (is_negative) ++at_;
    if (!IsDigit(Peek())) Unexpected(is_negative ? "a digit" : "a value");
    if (Peek() == '0') {
      ++at_;
      if (IsDigit(Peek())) throw JsonError(start, "a number with a leading zero");
    } else {
      SkipDigits();
    }
    bool is_integer = true;
    if (Peek() == '.') {
      is_integer = false;
      ++at_;
      SkipDigits();
    }
    if (Peek() == 'e' || Peek() == 'E') {
      is_integer = false;
      ++at_;
      if (Peek() == '+' || Peek() == '-') ++at_;
      SkipDigits();
    }
    const std::string_view digits = text_.substr(start, at_ - start);
    if (!is_integer) return JsonValue(Convert<double>(digits, start));
    if (is_negative) return JsonValue(Convert<std::int64_t>(digits, start));
    const auto value = Convert<std::uint64_t>(digits, start);
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      return JsonValue(value);
    }
    return JsonValue(static_cast<std::int64_t>(value));
  }

  template <typename Number>
  static Number Convert(std::string_view digits, std::size_t start) {
    Number value{};
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (result.ec != std::errc()) {
      throw JsonError(start, "the number " + Quote(digits, 40) + " is out of range");
    }
    return value;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::optional<bool> JsonValue::boolean() const {
  const bool* value = std::get_if<bool>(&value_);
  return value ? std::optional<bool>(*value) : std::nullopt;
}

std::optional<std::int64_t> JsonValue::integer() const {
  const auto* value = std::get_if<std::int64_t>(&value_);
  return value ? std::optional<std::int64_t>(*value) : std::nullopt;
}

std::optional<std::uint64_t> JsonValue::unsigned_integer() const {
  if (const auto* value = std::get_if<std::uint64_t>(&value_)) return *value;
  const std::optional<std::int64_t> value = integer();
  if (!value || *value < 0) return std::nullopt;
  return static_cast<std::uint64_t>(*value);
}

std::optional<double> JsonValue::number() const {
  if (const auto* value = std::get_if<double>(&value_)) return *value;
  if (const auto value = integer()) return static_cast<double>(*value);
  if (const auto value = unsigned_integer()) return static_cast<double>(*value);
  return std::nullopt;
}

const JsonValue* JsonValue::Find(std::string_view name) const {
  if (object() == nullptr) return nullptr;
  for (const Member& member : *object()) {
    if (member.name == name) return &member.value;
  }
  return nullptr;
}

JsonValue ParseJson(std::string_view text) { return Parser(text).ParseDocument(); }

}  // namespace causeway
