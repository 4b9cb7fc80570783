// SPDX-License-Identifier: Apache-2.0
#include "server/bench/arguments.h"

#include <algorithm>
#include <optional>

#include "server/base/utf8.h"
#include "server/bench/item_list.h"

namespace causeway::bench {
namespace {

constexpr std::string_view kDashes = "--";

std::string Dashed(std::string_view name) { return std::string(kDashes) + std::string(name); }

std::string FlagNames(const std::vector<Flag>& flags) {
  std::string names;
  for (const Flag& flag : flags) AppendItem(names, Dashed(flag.name));
  return names;
}

const Flag& FindFlag(const std::vector<Flag>& flags, std::string_view name) {
  const auto flag = std::find_if(flags.begin(), flags.end(),
                                 [&](const Flag& known) { return known.name == name; });
  if (flag != flags.end()) return *flag;
  throw UsageError("unknown flag " + Quote(Dashed(name)) + ", allowed: " + FlagNames(flags) +
                   ", --help");
}

}  // namespace

UsageError BadFlag(std::string_view name, std::string_view got, std::string_view allowed) {
  return UsageError(Dashed(name) + ": got " + Quote(got) + ", allowed: " + std::string(allowed));
}

Arguments::Arguments(const std::vector<Flag>& flags, std::span<const std::string> words) {
  for (std::size_t index = 0; index < words.size(); ++index) {
    const std::string_view word = words[index];
    if (!word.starts_with(kDashes)) {
      throw UsageError("unexpected argument " + Quote(word) + ", allowed: " + FlagNames(flags) +
                       ", --help");
    }
    const std::size_t equals = word.find('=');
    const std::string_view name = word.substr(0, equals).substr(kDashes.size());
    const Flag& flag = FindFlag(flags, name);
    if (Has(name)) throw UsageError(Dashed(name) + ": given twice, allowed: once");

    std::optional<std::string> value;
    if (equals != std::string_view::npos) value = word.substr(equals + 1);
    if (flag.placeholder.empty()) {
      if (value) throw BadFlag(name, *value, "no value");
    } else {
      const bool is_next_value =
          index + 1 < words.size() && !std::string_view(words[index + 1]).starts_with(kDashes);
      if (!value && is_next_value) value = words[++index];
      if (!value || value->empty()) {
        throw UsageError(Dashed(name) + ": no value, allowed: " + Dashed(name) + " " +
                         flag.placeholder);
      }
    }
    values_.emplace_back(name, value.value_or(""));
  }
  for (const Flag& flag : flags) {
    if (flag.is_required && !Has(flag.name)) {
      throw UsageError(Dashed(flag.name) + ": missing, required: " + Dashed(flag.name) + " " +
                       flag.placeholder);
    }
  }
}

const std::string* Arguments::Find(std::string_view name) const {
  for (const auto& [known, value] : values_) {
    if (known == name) return &value;
  }
  return nullptr;
}

const std::string& Arguments::Get(std::string_view name) const {
  if (const std::string* value = Find(name)) return *value;
  throw std::logic_error("the flag " + Dashed(name) + " was not given");
}

std::string FlagsHelp(const std::vector<Flag>& flags) {
  const auto left_side = [](const Flag& flag) {
    return "  " + Dashed(flag.name) + (flag.placeholder.empty() ? "" : " " + flag.placeholder);
  };
  std::size_t width = 0;
  for (const Flag& flag : flags) width = std::max(width, left_side(flag).size());
  std::string text;
  for (const Flag& flag : flags) {
    std::string left = left_side(flag);
    left.resize(width + 2, ' ');
    text += left + flag.help + (flag.is_required ? " (required)" : "") + "\n";
  }
  return text;
}

}  // namespace causeway::bench
