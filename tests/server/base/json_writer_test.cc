// SPDX-License-Identifier: Apache-2.0
#include "server/base/json_writer.h"

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>

#include <gtest/gtest.h>

namespace causeway {
namespace {

TEST(JsonWriter, WritesEveryKindOfValueOnOneLine) {
  JsonWriter json;
  json.BeginObject().Name("a").BeginArray().Integer(-1).UnsignedInteger(2).Real(0.5).EndArray();
  json.Name("b").BeginObject().EndObject().Name("c").BeginArray().EndArray();
  json.Name("d").String("x").Name("e").Boolean(false).Name("f").Null().EndObject();
  EXPECT_EQ(json.text(), R"({"a":[-1,2,0.5],"b":{},"c":[],"d":"x","e":false,"f":null})");
}

TEST(JsonWriter, IndentsByLevel) {
  JsonWriter json(2);
  json.BeginObject().Name("a").BeginArray().Integer(1).Integer(2).EndArray();
  json.Name("b").BeginObject().EndObject().EndObject();
  EXPECT_EQ(json.text(), "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": {}\n}");
}

TEST(JsonWriter, EscapesSoThatTheReaderGetsTheSameString) {
  std::string all;
  for (char c = 0; c < 0x7F; ++c) all += c;
  all += "\xC3\xBC\xF0\x9F\x98\x80";
  EXPECT_EQ(*ParseJson(JsonWriter().String(all).text()).string(), all);
}

TEST(JsonWriter, ReplacesBytesThatAreNotUtf8) {
  EXPECT_EQ(JsonWriter().String("a\xFFz").text(), "\"a\xEF\xBF\xBDz\"");
}

TEST(JsonWriter, RealsReadBackBitForBit) {
  std::mt19937_64 random(1);
  std::vector<double> values{0.1, 1e-300, 5e-324, 1.7976931348623157e308, -2.5, 1e22, 123456789.0};
  for (int i = 0; i < 1000; ++i) {
    const double value = std::bit_cast<double>(random());
    if (std::isfinite(value)) values.push_back(value);
  }
  for (const double value : values) {
    EXPECT_EQ(ParseJson(JsonWriter().Real(value).text()).number(), value);
  }
}

TEST(JsonWriter, RealsStayReals) {
  EXPECT_EQ(JsonWriter().Real(25).text(), "25.0");
  EXPECT_EQ(JsonWriter().Real(-0.0).text(), "-0.0");
  EXPECT_EQ(JsonWriter().Real(3256937983961036488704.0).text(), "3256937983961036488704.0");
  EXPECT_EQ(JsonWriter().Real(1e300).text(), "1e+300");
}

TEST(JsonWriter, WritesNullForWhatJsonCannotSay) {
  EXPECT_EQ(JsonWriter().Real(std::numeric_limits<double>::infinity()).text(), "null");
  EXPECT_EQ(JsonWriter().Real(std::nan("")).text(), "null");
}

TEST(JsonWriter, CopiesAReadValue) {
  const std::string text = R"({"a":[1,-2,18446744073709551615,0.25,"\\",[],{}],"b":null,"c":true})";
  EXPECT_EQ(JsonWriter().Value(ParseJson(text)).text(), text);
}

TEST(JsonWriter, RefusesCallsThatDoNotFit) {
  EXPECT_THROW(JsonWriter().Name("a"), std::logic_error);
  EXPECT_THROW(JsonWriter().BeginArray().Name("a"), std::logic_error);
  EXPECT_THROW(JsonWriter().BeginObject().Integer(1), std::logic_error);
  EXPECT_THROW(JsonWriter().BeginObject().Name("a").Name("b"), std::logic_error);
  EXPECT_THROW(JsonWriter().BeginObject().Name("a").EndObject(), std::logic_error);
  EXPECT_THROW(JsonWriter().BeginObject().EndArray(), std::logic_error);
  EXPECT_THROW(JsonWriter().EndObject(), std::logic_error);
  EXPECT_THROW(JsonWriter().Integer(1).Integer(2), std::logic_error);
  EXPECT_THROW(JsonWriter().text(), std::logic_error);
  EXPECT_THROW(JsonWriter().BeginArray().text(), std::logic_error);
}

TEST(JsonWriter, ExcerptIsCutBetweenCharacters) {
  EXPECT_EQ(JsonExcerpt(ParseJson("[1, 2]")), "[1,2]");
  EXPECT_EQ(JsonExcerpt(ParseJson("[1, 2, 3]"), 4), "[1,2...");
  EXPECT_EQ(JsonExcerpt(JsonValue("\xC3\xBC\xC3\xBC\xC3\xBC"), 2), "\"\xC3\xBC...");
}

}  // namespace
}  // namespace causeway
