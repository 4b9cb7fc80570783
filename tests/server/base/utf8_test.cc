// SPDX-License-Identifier: Apache-2.0
#include "server/base/utf8.h"

#include <gtest/gtest.h>

namespace causeway {
namespace {

// The table of well-formed sequences, RFC 3629 section 4, as a predicate on the code point that
// the bits give: decoded by hand and then checked for the shortest form and the range.
std::size_t LengthByDefinition(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  std::size_t length = 0;
  char32_t code = 0;
  if (byte(0) < 0x80) return 1;
  if ((byte(0) & 0xE0) == 0xC0) length = 2, code = byte(0) & 0x1F;
  if ((byte(0) & 0xF0) == 0xE0) length = 3, code = byte(0) & 0x0F;
  if ((byte(0) & 0xF8) == 0xF0) length = 4, code = byte(0) & 0x07;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
    code = (code << 6) | (byte(i) & 0x3F);
  }
  const char32_t shortest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
  return code < shortest[length] || code > 0x10FFFF || is_surrogate ? 0 : length;
}

TEST(Utf8, AgreesWithTheDefinitionOnEveryPairOfLeadingBytes) {
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      for (const char* rest : {"", "\x80", "\x80\xBF", "\xBFx", "xx"}) {
        const std::string text =
            std::string{static_cast<char>(first), static_cast<char>(second)} + rest;
        EXPECT_EQ(Utf8SequenceLength(text, 0), LengthByDefinition(text)) << first << " " << second;
      }
    }
  }
}

TEST(Utf8, AppendedCodePointsAreWellFormedAndOfMinimalLength) {
  const std::pair<char32_t, std::string> cases[] = {{0x0, std::string(1, '\0')},
                                                    {0x7F, "\x7F"},
                                                    {0x80, "\xC2\x80"},
                                                    {0x7FF, "\xDF\xBF"},
                                                    {0x800, "\xE0\xA0\x80"},
                                                    {0xFFFF, "\xEF\xBF\xBF"},
                                                    {0x10000, "\xF0\x90\x80\x80"},
                                                    {0x10FFFF, "\xF4\x8F\xBF\xBF"}};
  for (const auto& [code, expected] : cases) {
    std::string text;
    AppendUtf8(code, text);
    EXPECT_EQ(text, expected);
    EXPECT_EQ(Utf8SequenceLength(text, 0), text.size());
  }
}

TEST(Utf8, QuoteKeepsAMessageOnOneShortLine) {
  EXPECT_EQ(Quote("decoder.conv1"), "'decoder.conv1'");
  EXPECT_EQ(Quote("a\nb\x1B\x7F"), R"('a?b??')");
  EXPECT_EQ(Quote("\xFFx\xC3"), "'?x?'");
  EXPECT_EQ(Quote("z\xC3\xBC"), "'z\xC3\xBC'");
  EXPECT_EQ(Quote("abcdef", 3), "'abc...'");
  EXPECT_EQ(Quote("ab\xC3\xBC", 3), "'ab...'");  // never half a sequence
  EXPECT_EQ(Quote(""), "''");
}

}  // namespace
}  // namespace causeway
