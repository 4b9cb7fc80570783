// SPDX-License-Identifier: Apache-2.0
// The `causeway` program: flags in, one command, one line on stderr and an exit code where it
// fails.
#include <csignal>
#include <cstdio>
#include <exception>
#include <iostream>

#include <CLI/CLI.hpp>
#include <unistd.h>

#include "client/cli/decode_command.h"
#include "client/cli/decode_options.h"
#include "client/cli/ffmpeg.h"
#include "client/cli/interrupt.h"
#include "client/lib/decode_error.h"

namespace causeway {
namespace {

constexpr int kFailure = 1;
constexpr int kUsage = 2;
constexpr int kInterrupted = 130;

int Fail(int code, const std::string& message) {
  std::fprintf(stderr, "causeway: %s\n", message.c_str());
  return code;
}

int Decode(const cli::DecodeOptions& options, cli::Interrupt& interrupt) {
  try {
    const bool has_terminal = isatty(STDERR_FILENO) == 1 && !options.json;
    const cli::DecodeReport report =
        cli::RunDecode(options, interrupt, has_terminal ? &std::cerr : nullptr);
    if (options.json) {
      cli::PrintJson(report, std::cout);
    } else {
      cli::PrintText(report, std::cout);
    }
    std::cout.flush();
    if (!std::cout) return Fail(kFailure, "the report cannot be written to standard output");
    return 0;
  } catch (const client::DecodeError& error) {
    if (interrupt.has_come()) return Fail(kInterrupted, "interrupted");
    const std::string& word = error.reason().empty() ? error.code() : error.reason();
    return Fail(kFailure, std::string(error.what()) + " (" + word + ")");
  }
}

int Run(int argc, char** argv) {
  cli::Interrupt interrupt;
  // A file above the size limit is an error of write, not the end of the process.
  std::signal(SIGXFSZ, SIG_IGN);
  // FFmpeg's and x264's remarks are not this program's errors; those come as exceptions.
  av_log_set_level(AV_LOG_QUIET);

  CLI::App app{"Causeway: decode latents of video models on a server", "causeway"};
  app.require_subcommand(1);
  cli::DecodeOptions options;
  cli::AddDecodeCommand(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    return Fail(kUsage, std::string(error.what()) + " (causeway decode --help lists the flags)");
  }
  return Decode(options, interrupt);
}

}  // namespace
}  // namespace causeway

int main(int argc, char** argv) {
  try {
    return causeway::Run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "causeway: %s\n", error.what());
    return causeway::kFailure;
  }
}
