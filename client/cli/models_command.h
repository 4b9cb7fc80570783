// SPDX-License-Identifier: Apache-2.0
// `causeway models`: what a server holds, and what a session of it costs.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "causeway/v1/decode.pb.h"

namespace CLI {
class App;
}

namespace causeway::cli {

struct ModelsOptions {
  std::string server = "127.0.0.1:50051";
  double connect_timeout_s = 5;
  bool json = false;
};

/// Adds the subcommand; its flags are stored in `options`, which must outlive the parsing.
CLI::App* AddModelsCommand(CLI::App& app, ModelsOptions& options);

/// Throws DecodeError.
std::vector<v1::Model> AskForModels(const ModelsOptions& options);

/// A table with a row for each model and geometry, or one JSON object. Sizes are width x height, as
/// everywhere for people.
void PrintModels(const std::vector<v1::Model>& models, bool json, std::ostream& out);

}  // namespace causeway::cli
