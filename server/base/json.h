// SPDX-License-Identifier: Apache-2.0
// A small strict JSON (RFC 8259) reader, for files that come from outside: model configurations,
// safetensors headers. It is here so that the decoder builds with nothing but a compiler and
// LibTorch. The writer is json_writer.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace causeway {

/// Text that is not JSON. what() is one line: "byte <offset>: <problem>".
class JsonError : public std::runtime_error {
 public:
  JsonError(std::size_t offset, const std::string& problem)
      : std::runtime_error("byte " + std::to_string(offset) + ": " + problem), offset_(offset) {}

  std::size_t offset() const { return offset_; }

 private:
  std::size_t offset_;
};

/// One JSON value. Each accessor returns nothing (nullopt, nullptr) where the value is of another
/// type. Pointers are valid until the value is changed, moved or destroyed.
class JsonValue {
 public:
  struct Member;
  using Array = std::vector<JsonValue>;
  using Object = std::vector<Member>;  // in the order of the text; no name occurs twice

  JsonValue() = default;  // null
  explicit JsonValue(bool value);
  explicit JsonValue(std::int64_t value);
  explicit JsonValue(std::uint64_t value);
  explicit JsonValue(double value);
  explicit JsonValue(std::string value);
  explicit JsonValue(const char* value);
  explicit JsonValue(Array value);
  explicit JsonValue(Object value);

  bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
  std::optional<bool> boolean() const;
  /// A number written without fraction and exponent that fits the type, exactly.
  std::optional<std::int64_t> integer() const;
  std::optional<std::uint64_t> unsigned_integer() const;
  /// Any number; an integer beyond 2^53 is rounded.
  std::optional<double> number() const;
  const std::string* string() const { return std::get_if<std::string>(&value_); }
  const Array* array() const { return std::get_if<Array>(&value_); }
  const Object* object() const { return std::get_if<Object>(&value_); }

  /// The member of that name; null where there is none or this is no object.
  const JsonValue* Find(std::string_view name) const;

 private:
  std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, Array,
               Object>
      value_;
};

struct JsonValue::Member {
  std::string name;
  JsonValue value;
};

// Here and not in the class: they need Member whole, whose vector they may have to destroy.
inline JsonValue::JsonValue(bool value) : value_(value) {}
inline JsonValue::JsonValue(std::int64_t value) : value_(value) {}
inline JsonValue::JsonValue(std::uint64_t value) : value_(value) {}
inline JsonValue::JsonValue(double value) : value_(value) {}
inline JsonValue::JsonValue(std::string value) : value_(std::move(value)) {}
inline JsonValue::JsonValue(const char* value) : value_(std::string(value)) {}
inline JsonValue::JsonValue(Array value) : value_(std::move(value)) {}
inline JsonValue::JsonValue(Object value) : value_(std::move(value)) {}

/// Arrays and objects within each other, at most; deeper text is refused.
inline constexpr int kMaxJsonDepth = 64;

/// Reads one JSON value with nothing but white space around it. Refused beyond what RFC 8259
/// refuses: a byte order mark, a name twice in one object, deeper nesting than kMaxJsonDepth,
/// integers beyond 64 bits, reals beyond a double. Throws JsonError.
JsonValue ParseJson(std::string_view text);

}  // namespace causeway
