// SPDX-License-Identifier: Apache-2.0
#include "server/config/settings_file.h"

#include <cctype>
#include <cstdlib>

namespace causeway::config {
namespace {

bool IsSetInEnvironment(const std::string& option) {
  const char* value = std::getenv(EnvironmentName(option).c_str());
  return value != nullptr && *value != '\0';
}

}  // namespace

std::vector<CLI::ConfigItem> SettingsFile::from_config(std::istream& input) const {
  std::vector<CLI::ConfigItem> kept;
  for (CLI::ConfigItem& item : ConfigBase::from_config(input)) {
    if (!item.parents.empty()) {
      throw CLI::ConfigError("unknown section [" + item.parents.front() + "], allowed: none");
    }
    const CLI::Option* option = app_.get_option_no_throw("--" + item.name);
    if (option == nullptr || !option->get_configurable()) {
      throw CLI::ConfigError("unknown setting \"" + item.fullname() +
                             "\", allowed: " + AllowedKeys());
    }
    if (!IsSetInEnvironment(item.name)) kept.push_back(std::move(item));
  }
  return kept;
}

std::string SettingsFile::AllowedKeys() const {
  std::string keys;
  for (const CLI::Option* option : app_.get_options()) {
    if (!option->get_configurable() || option->get_lnames().empty()) continue;
    if (!keys.empty()) keys += ", ";
    keys += option->get_lnames().front();
  }
  return keys;
}

std::string EnvironmentName(const std::string& option) {
  std::string name = "CAUSEWAY_";
  for (const char letter : option) {
    name +=
        letter == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  }
  return name;
}

}  // namespace causeway::config
