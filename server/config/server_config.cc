// SPDX-License-Identifier: Apache-2.0
#include "server/config/server_config.h"

namespace causeway::config {
namespace {

/// CLI11's TOML knows no escapes, but either kind of quotes.
std::string Quoted(const std::string& text) {
  const char quote = text.find('"') == std::string::npos ? '"' : '\'';
  return quote + text + quote;
}

enum class Kind { kText, kNumber, kList };

struct Setting {
  std::string name;
  Kind kind;
  std::vector<std::string> values;  // one, unless it is a list
};

std::vector<Setting> ListSettings(const ServerConfig& config) {
  std::vector<std::string> models;
  for (const ModelSource& model : config.models) models.push_back(model.name + "=" + model.path);
  std::vector<std::string> geometries;
  for (const AllowedGeometry& each : config.allowed_geometries) {
    geometries.push_back(std::to_string(each.height) + "x" + std::to_string(each.width));
  }
  std::vector<Setting> settings;
  const auto add = [&settings](const char* name, Kind kind, std::vector<std::string> values) {
    settings.push_back({name, kind, std::move(values)});
  };
  add("listen", Kind::kText, {config.listen});
  add("admin-listen", Kind::kText, {config.admin_listen});
  add("insecure", Kind::kNumber, {config.insecure ? "true" : "false"});
  if (!config.port_file.empty()) add("port-file", Kind::kText, {config.port_file});
  add("model", Kind::kList, models);
  if (!geometries.empty()) add("allow-geometry", Kind::kList, geometries);
  add("backend", Kind::kText, {config.backend});
  add("threads", Kind::kNumber, {std::to_string(config.threads)});
  add("max-sessions", Kind::kNumber, {std::to_string(config.max_sessions)});
  add("cache-bytes", Kind::kNumber, {std::to_string(config.cache_bytes)});
  add("max-message-bytes", Kind::kNumber, {std::to_string(config.max_message_bytes)});
  add("grace-seconds", Kind::kNumber, {std::to_string(config.grace_seconds)});
  add("idle-timeout-seconds", Kind::kNumber, {std::to_string(config.idle_timeout_seconds)});
  add("write-timeout-seconds", Kind::kNumber, {std::to_string(config.write_timeout_seconds)});
  add("no-reflection", Kind::kNumber, {config.no_reflection ? "true" : "false"});
  add("log-level", Kind::kText, {config.log_level});
  add("log-format", Kind::kText, {config.log_format});
  return settings;
}

/// The values as TOML (all of them texts where `quotes`), or as they are.
std::string Join(const Setting& setting, bool quotes, const char* separator) {
  std::string text;
  for (const std::string& value : setting.values) {
    if (!text.empty()) text += separator;
    text += quotes ? Quoted(value) : value;
  }
  return text;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> Settings(const ServerConfig& config) {
  std::vector<std::pair<std::string, std::string>> settings;
  for (const Setting& setting : ListSettings(config)) {
    settings.emplace_back(setting.name, Join(setting, false, ","));
  }
  return settings;
}

std::string ToToml(const ServerConfig& config) {
  std::string text;
  for (const Setting& setting : ListSettings(config)) {
    const std::string value = Join(setting, setting.kind != Kind::kNumber, ", ");
    text += setting.name + " = " + (setting.kind == Kind::kList ? "[" + value + "]" : value) + "\n";
  }
  return text;
}

}  // namespace causeway::config
