// SPDX-License-Identifier: Apache-2.0
#include "server/bench/program.h"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "server/base/utf8.h"
#include "server/bench/arguments.h"
#include "server/bench/command.h"
#include "server/bench/item_list.h"

namespace causeway::bench {
namespace {

constexpr char kHelpFlag[] = "--help";

std::vector<Command> Commands() { return {RunCommand(), ExplainCommand(), SizeCommand()}; }

bool AsksForHelp(std::span<const std::string> words) {
  return std::find(words.begin(), words.end(), kHelpFlag) != words.end();
}

void PrintProgramHelp(std::ostream& out) {
  out << "usage: causeway-bench COMMAND [FLAGS]\n\n"
         "The decoder in this process, without a server.\n\n";
  for (const Command& command : Commands()) {
    std::string name = "  " + command.name;
    name.resize(12, ' ');
    out << name << command.summary << '\n';
  }
  out << "\ncauseway-bench COMMAND --help lists a command's flags.\n";
}

void PrintCommandHelp(const Command& command, std::ostream& out) {
  out << "usage: causeway-bench " << command.name << " [FLAGS]\n\n"
      << command.summary << "\n\n"
      << FlagsHelp(command.flags);
}

void Dispatch(std::span<const std::string> words, std::ostream& out) {
  std::string names;
  for (const Command& command : Commands()) {
    AppendItem(names, command.name);
    if (words.empty() || words.front() != command.name) continue;
    const std::span<const std::string> flags = words.subspan(1);
    if (AsksForHelp(flags)) return PrintCommandHelp(command, out);
    return command.run(Arguments(command.flags, flags), out);
  }
  if (AsksForHelp(words)) return PrintProgramHelp(out);
  throw UsageError((words.empty() ? "no command" : "unknown command " + Quote(words.front())) +
                   ", allowed: " + names + ", " + kHelpFlag);
}

}  // namespace

void RunProgram(std::span<const std::string> words, std::ostream& out) {
  Dispatch(words, out);
  if (!out.flush()) throw std::runtime_error("standard output: cannot be written");
}

}  // namespace causeway::bench
