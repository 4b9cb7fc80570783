// SPDX-License-Identifier: Apache-2.0
// The configuration file's place in the order flag, environment, file, default. CLI11 alone lets
// the file beat the environment and says little about a key that it does not know.
#pragma once

#include <istream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace causeway::config {

/// Reads TOML (keys and values, no sections) for the options of `app`, which outlives it.
class SettingsFile : public CLI::ConfigBase {
 public:
  explicit SettingsFile(const CLI::App& app) : app_(app) {}

  /// Leaves out what the environment sets. Throws CLI::ConfigError at a key that is not an option.
  std::vector<CLI::ConfigItem> from_config(std::istream& input) const override;

 private:
  std::string AllowedKeys() const;

  const CLI::App& app_;
};

/// The environment variable of an option: "max-sessions" is CAUSEWAY_MAX_SESSIONS.
std::string EnvironmentName(const std::string& option);

}  // namespace causeway::config
