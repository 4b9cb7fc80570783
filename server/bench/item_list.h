// SPDX-License-Identifier: Apache-2.0
// Lists in one line of text: "a, b, c".
#pragma once

#include <string>
#include <string_view>

namespace causeway::bench {

inline void AppendItem(std::string& list, std::string_view item,
                       std::string_view separator = ", ") {
  if (!list.empty()) list += separator;
  list += item;
}

}  // namespace causeway::bench
