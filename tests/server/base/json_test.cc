// SPDX-License-Identifier: Apache-2.0
#include "server/base/json.h"

#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>

namespace causeway {
namespace {

std::string Nested(int levels) {
  return std::string(static_cast<std::size_t>(levels), '[') +
         std::string(static_cast<std::size_t>(levels), ']');
}

/// The message of the JsonError; empty where the text is accepted.
std::string ErrorOf(std::string_view text) {
  try {
    ParseJson(text);
  } catch (const JsonError& error) {
    return error.what();
  }
  return {};
}

TEST(Json, ReadsEveryKindOfValue) {
  const JsonValue value = ParseJson(
      " {\"n\":null,\"t\":true,\"f\":false,\r\n\t\"i\":-7,\"r\":2.5e1,\"s\":\"x\","
      "\"a\":[1,[ ]],\"o\":{}} ");
  EXPECT_TRUE(value.Find("n")->is_null());
  EXPECT_EQ(value.Find("t")->boolean(), true);
  EXPECT_EQ(value.Find("f")->boolean(), false);
  EXPECT_EQ(value.Find("i")->integer(), -7);
  EXPECT_EQ(value.Find("r")->number(), 25.0);
  EXPECT_EQ(*value.Find("s")->string(), "x");
  ASSERT_NE(value.Find("a")->array(), nullptr);
  EXPECT_EQ(value.Find("a")->array()->size(), 2u);
  EXPECT_TRUE((*value.Find("a")->array())[1].array()->empty());
  EXPECT_TRUE(value.Find("o")->object()->empty());
  EXPECT_EQ(value.Find("missing"), nullptr);
}

TEST(Json, KeepsMembersInTheOrderOfTheText) {
  const JsonValue value = ParseJson(R"({"z":1,"a":2,"m":3})");
  std::string names;
  for (const JsonValue::Member& member : *value.object()) names += member.name;
  EXPECT_EQ(names, "zam");
}

TEST(Json, KeepsIntegersOf64BitsExact) {
  EXPECT_EQ(ParseJson("9223372036854775807").integer(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(ParseJson("-9223372036854775808").integer(), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(ParseJson("18446744073709551615").unsigned_integer(),
            std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(ParseJson("18446744073709551615").integer(), std::nullopt);
  EXPECT_EQ(ParseJson("9007199254740993").integer(), 9007199254740993);  // 2^53 + 1
  EXPECT_EQ(ParseJson("-1").unsigned_integer(), std::nullopt);
  EXPECT_EQ(ParseJson("9223372036854775808").number(), 0x1p63);
}

TEST(Json, AnswersNothingForAnotherType) {
  EXPECT_EQ(ParseJson("1.0").integer(), std::nullopt);
  EXPECT_EQ(ParseJson("1e2").integer(), std::nullopt);
  EXPECT_EQ(ParseJson("\"1\"").number(), std::nullopt);
  EXPECT_EQ(ParseJson("1").boolean(), std::nullopt);
  EXPECT_EQ(ParseJson("[]").object(), nullptr);
  EXPECT_EQ(ParseJson("{}").array(), nullptr);
  EXPECT_EQ(ParseJson("null").string(), nullptr);
  EXPECT_EQ(ParseJson("[1]").Find("a"), nullptr);
  EXPECT_FALSE(ParseJson("0").is_null());
}

TEST(Json, ReadsEscapesAndSurrogatePairs) {
  EXPECT_EQ(*ParseJson(R"("\"\\\/\b\f\n\r\t")").string(), "\"\\/\b\f\n\r\t");
  EXPECT_EQ(*ParseJson(R"("\u0041\u00fc\u20AC")").string(), "A\xC3\xBC\xE2\x82\xAC");
  EXPECT_EQ(*ParseJson(R"("\ud83d\ude00")").string(), "\xF0\x9F\x98\x80");
  EXPECT_EQ(ParseJson(R"("a\u0000b")").string()->size(), 3u);
}

TEST(Json, RefusesWhatIsNotJsonAndSaysWhere) {
  const std::pair<std::string, std::string> cases[] = {
      {"", "byte 0: the text ends, expected a value"},
      {"  ", "byte 2: the text ends, expected a value"},
      {"{", "byte 1: the text ends, expected a name in double quotes"},
      {"{\"a\"", "byte 4: the text ends, expected ':'"},
      {"{\"a\" 1}", "byte 5: got '1', expected ':'"},
      {"{\"a\":1", "byte 6: the text ends, expected ',' or '}'"},
      {"{\"a\":1,}", "byte 7: got '}', expected a name in double quotes"},
      {"{a:1}", "byte 1: got 'a', expected a name in double quotes"},
      {"[1,]", "byte 3: got ']', expected a value"},
      {"[1 2]", "byte 3: got '2', expected ',' or ']'"},
      {"[1}", "byte 2: got '}', expected ',' or ']'"},
      {"1 2", "byte 2: text after the end of the value"},
      {"{}x", "byte 2: text after the end of the value"},
      {"tru", "byte 0: got 't', expected true"},
      {"nulL", "byte 0: got 'n', expected null"},
      {"NaN", "byte 0: got 'N', expected a value"},
      {"Infinity", "byte 0: got 'I', expected a value"},
      {"'a'", "byte 0: got ''', expected a value"},
      {"// x\n1", "byte 0: got '/', expected a value"},
      {"\xEF\xBB\xBF{}", "byte 0: got '?', expected a value"},
      {"\"abc", "byte 0: a string without end"},
      {"\"abc\\\"", "byte 0: a string without end"},
      {"\"a\nb\"", "byte 2: a control character inside a string"},
      {"\"a\xFF\"", "byte 2: not UTF-8"},
      {"\"\xC0\xAF\"", "byte 1: not UTF-8"},
      {"\"\xED\xA0\x80\"", "byte 1: not UTF-8"},
      {"\"\xE2\x82\"", "byte 1: not UTF-8"},
      {"\"\\x41\"", "byte 1: an unknown escape"},
      {"\"\\u12G4\"", "byte 1: \\u without four hexadecimal digits"},
      {"\"\\u+123\"", "byte 1: \\u without four hexadecimal digits"},
      {"\"\\u12", "byte 1: \\u without four hexadecimal digits"},
      {"\"\\ud800\"", "byte 1: half a surrogate pair"},
      {"\"\\ud800\\u0041\"", "byte 1: half a surrogate pair"},
      {"\"\\udc00\"", "byte 1: half a surrogate pair"},
      {"01", "byte 0: a number with a leading zero"},
      {"-01", "byte 0: a number with a leading zero"},
      {"+1", "byte 0: got '+', expected a value"},
      {".5", "byte 0: got '.', expected a value"},
      {"-", "byte 1: the text ends, expected a digit"},
      {"1.", "byte 2: the text ends, expected a digit"},
      {"1.e5", "byte 2: got 'e', expected a digit"},
      {"1e", "byte 2: the text ends, expected a digit"},
      {"1e+", "byte 3: the text ends, expected a digit"},
      {"0x10", "byte 1: text after the end of the value"},
      {"18446744073709551616", "byte 0: the number '18446744073709551616' is out of range"},
      {"-9223372036854775809", "byte 0: the number '-9223372036854775809' is out of range"},
      {"[1e999]", "byte 1: the number '1e999' is out of range"},
      {"{\"a\":1,\"a\":2}", "byte 7: the name 'a' for the second time"},
      {"{\"a\":1,\"\\u0061\":2}", "byte 7: the name 'a' for the second time"},
  };
  for (const auto& [text, message] : cases) EXPECT_EQ(ErrorOf(text), message) << text;
  EXPECT_EQ(ErrorOf(std::string_view("\0", 1)), "byte 0: got '?', expected a value");
}

TEST(Json, RefusesEveryTruncationOfADocument) {
  const std::string text = R"({"a":[1.5e3,"\u00fc",true],"b":{"c":null}})";
  EXPECT_EQ(ErrorOf(text), "");
  for (std::size_t length = 0; length < text.size(); ++length) {
    EXPECT_NE(ErrorOf(text.substr(0, length)), "") << length;
  }
}

TEST(Json, NestsUpToItsLimitAndNoDeeper) {
  EXPECT_EQ(ErrorOf(Nested(kMaxJsonDepth)), "");
  EXPECT_EQ(ErrorOf(Nested(kMaxJsonDepth + 1)), "byte 64: nested deeper than 64 levels");
  std::string objects;
  for (int i = 0; i < 100000; ++i) objects += "{\"a\":";
  EXPECT_EQ(ErrorOf(objects), "byte 320: nested deeper than 64 levels");
}

TEST(Json, ErrorsCarryTheOffset) {
  try {
    ParseJson("[1, x]");
    FAIL() << "accepted";
  } catch (const JsonError& error) {
    EXPECT_EQ(error.offset(), 4u);
  }
}

}  // namespace
}  // namespace causeway
