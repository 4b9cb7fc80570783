// SPDX-License-Identifier: Apache-2.0
// Exit status: 0, 2 for a command line that cannot be done as typed, 1 for anything else.
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "server/bench/arguments.h"
#include "server/bench/program.h"

namespace {

int Fail(const std::exception& error, int status) {
  // Faults of LibTorch come with a stack trace: the first line is the message.
  const std::string message = error.what();
  std::cerr << "causeway-bench: " << message.substr(0, message.find('\n')) << '\n';
  return status;
}

}  // namespace

int main(int argument_count, char** arguments) {
  try {
    const std::vector<std::string> words(arguments + (argument_count > 0 ? 1 : 0),
                                         arguments + argument_count);
    causeway::bench::RunProgram(words, std::cout);
    return 0;
  } catch (const causeway::bench::UsageError& error) {
    return Fail(error, 2);
  } catch (const std::exception& error) {
    return Fail(error, 1);
  }
}
