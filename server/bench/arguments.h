// SPDX-License-Identifier: Apache-2.0
// The command line of causeway-bench: flags from a table, read strictly.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace causeway::bench {

/// What the user typed cannot be done as typed. what() is one line.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// "--threads: got 'x', allowed: 0 to 1024".
UsageError BadFlag(std::string_view name, std::string_view got, std::string_view allowed);

struct Flag {
  std::string name;         // without its dashes
  std::string placeholder;  // stands for its value in the help, "HxW"; empty: it takes none
  std::string help;
  bool is_required = false;
};

/// The flags that were given: `--name value`, `--name=value` or, without a value, `--name`.
class Arguments {
 public:
  /// Throws UsageError: a word that is no flag, a flag that is not in the table, one given twice,
  /// a value that is missing or empty, a value for a flag without one, a required flag that is
  /// not there.
  Arguments(const std::vector<Flag>& flags, std::span<const std::string> words);

  bool Has(std::string_view name) const { return Find(name) != nullptr; }
  /// The value ("" for a flag without one); null where the flag was not given.
  const std::string* Find(std::string_view name) const;
  /// The value of a flag that was given; throws std::logic_error otherwise.
  const std::string& Get(std::string_view name) const;

 private:
  std::vector<std::pair<std::string, std::string>> values_;
};

/// The flags and what they do, one a line, aligned.
std::string FlagsHelp(const std::vector<Flag>& flags);

}  // namespace causeway::bench
