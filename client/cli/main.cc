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
#include "client/cli/models_command.h"
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

int Fail(const client::DecodeError& error) {
  const std::string& word = error.reason().empty() ? error.code() : error.reason();
  return Fail(kFailure, std::string(error.what()) + " (" + word + ")");
}

int FlushOutput() {
  std::cout.flush();
  if (!std::cout) return Fail(kFailure, "the report cannot be written to standard output");
  return 0;
}

int Decode(const cli::DecodeOptions& options, cli::Interrupt& interrupt) {
  try {
    const cli::ProgressTarget progress{options.json ? nullptr : &std::cerr,
                                       isatty(STDERR_FILENO) == 1};
    const cli::DecodeReport report = cli::RunDecode(options, interrupt, progress);
    if (options.json) {
      cli::PrintJson(report, std::cout);
    } else {
      cli::PrintText(report, std::cout);
    }
    return FlushOutput();
  } catch (const client::DecodeError& error) {
    if (interrupt.has_come()) return Fail(kInterrupted, "interrupted");
    return Fail(error);
  }
}

int Models(const cli::ModelsOptions& options) {
  try {
    cli::PrintModels(cli::AskForModels(options), options.json, std::cout);
    return FlushOutput();
  } catch (const client::DecodeError& error) {
    return Fail(error);
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
  cli::ModelsOptions models_options;
  const CLI::App* models = cli::AddModelsCommand(app, models_options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    return Fail(kUsage, std::string(error.what()) + " (causeway COMMAND --help lists the flags)");
  }
  return models->parsed() ? Models(models_options) : Decode(options, interrupt);
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
