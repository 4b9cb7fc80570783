// SPDX-License-Identifier: Apache-2.0
// Text that came from outside: is it UTF-8, and how does it look in a message of one line.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace causeway {

/// Bytes of the UTF-8 sequence that starts at `text[at]`: 1 to 4, or 0 where there is none
/// (RFC 3629: no overlong form, no surrogate, nothing above U+10FFFF). `at` < text.size().
std::size_t Utf8SequenceLength(std::string_view text, std::size_t at);

/// Appends the code point, at most U+10FFFF and no surrogate, as UTF-8.
void AppendUtf8(char32_t code_point, std::string& text);

/// `text` in single quotes for a message: control characters and bytes that are not UTF-8 become
/// '?', and what goes beyond about `max_bytes` is left out (shown as "...").
std::string Quote(std::string_view text, std::size_t max_bytes = 120);

}  // namespace causeway
