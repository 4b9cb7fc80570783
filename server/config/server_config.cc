// SPDX-License-Identifier: Apache-2.0
#include "server/config/server_config.h"

namespace causeway::config {
namespace {

/// CLI11's TOML knows no escapes, but either kind of quotes.
std::string Quoted(const std::string& text) {
  const char quote = text.find('"') == std::string::npos ? '"' : '\'';
  return quote + text + quote;
}

}  // namespace

std::string ToToml(const ServerConfig& config) {
  std::string models;
  for (const ModelSource& model : config.models) {
    if (!models.empty()) models += ", ";
    models += Quoted(model.name + "=" + model.path);
  }
  std::string text;
  const auto add = [&text](const char* key, const std::string& value) {
    text += std::string(key) + " = " + value + "\n";
  };
  add("listen", Quoted(config.listen));
  add("insecure", config.insecure ? "true" : "false");
  if (!config.port_file.empty()) add("port-file", Quoted(config.port_file));
  add("model", "[" + models + "]");
  add("backend", Quoted(config.backend));
  add("threads", std::to_string(config.threads));
  add("max-sessions", std::to_string(config.max_sessions));
  add("cache-bytes", std::to_string(config.cache_bytes));
  add("max-message-bytes", std::to_string(config.max_message_bytes));
  add("grace-seconds", std::to_string(config.grace_seconds));
  add("log-level", Quoted(config.log_level));
  add("log-format", Quoted(config.log_format));
  return text;
}

}  // namespace causeway::config
