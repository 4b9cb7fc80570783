// SPDX-License-Identifier: Apache-2.0
#include "server/config/command_line.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include <CLI/CLI.hpp>
#include <unistd.h>

#include "server/base/failure.h"
#include "server/base/utf8.h"
#include "server/config/allowed_geometry.h"
#include "server/config/listen_address.h"
#include "server/config/settings_file.h"

namespace causeway::config {
namespace {

constexpr char kProgram[] = "causeway-server";
constexpr int kExitBadSettings = 2;
constexpr std::int64_t kMaxBytes = std::int64_t{1} << 50;
constexpr int kMinMessageBytes = 64 * 1024;
constexpr int kMaxMessageBytes = 64 * 1024 * 1024;

/// What the options write into, before it is checked as a whole.
struct Arguments {
  ServerConfig config;
  std::vector<std::string> models;
  std::vector<std::string> geometries;
  bool prints_config = false;
  bool checks_config = false;
};

std::int64_t HalfOfMemory() {
  return std::int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE) / 2;
}

void AddOptions(CLI::App& app, Arguments& arguments, const std::vector<std::string>& backends) {
  ServerConfig& config = arguments.config;
  const auto add = [&app](const std::string& name, auto& variable, const char* help) {
    return app.add_option("--" + name, variable, help)
        ->envname(EnvironmentName(name))
        ->capture_default_str();
  };
  add("listen", config.listen, "Where to listen: HOST:PORT (port 0: any free one) or unix:PATH");
  app.add_flag("--insecure", config.insecure,
               "Allow listening beyond this machine, where nothing is encrypted or authenticated")
      ->envname(EnvironmentName("insecure"));
  add("admin-listen", config.admin_listen,
      "Where Admin listens: HOST:PORT, unix:PATH, none, or auto: unix:/run/causeway/admin.sock "
      "where that folder can be written to");
  app.add_flag("--no-reflection", config.no_reflection, "Do not tell clients the protocol's files")
      ->envname(EnvironmentName("no-reflection"));
  add("port-file", config.port_file, "A file to write the port in use to, once listening");
  // Not by envname: one value of a flag may hold commas, the environment's separates by them.
  app.add_option("--model", arguments.models,
                 "A model as NAME=PATH; once for each. Env: " + EnvironmentName("model") +
                     ", several as NAME=PATH,NAME=PATH")
      ->allow_extra_args(false);
  add("allow-geometry", arguments.geometries,
      "A picture size as HEIGHTxWIDTH that streams may have; once for each, or separated by "
      "commas; none: any")
      ->allow_extra_args(false)
      ->delimiter(',');
  add("backend", config.backend, "What decodes")->check(CLI::IsMember(backends));
  add("threads", config.threads, "CPU threads inside one operation (0: one a core)")
      ->check(CLI::Range(0, 1024));
  add("max-sessions", config.max_sessions, "Sessions at the same time")
      ->check(CLI::Range(1, 100'000));
  add("cache-bytes", config.cache_bytes,
      "Decoder state of all sessions in bytes, or with a unit as in 8GiB")
      ->transform(CLI::AsSizeValue(false))
      ->check(CLI::Range(std::int64_t{1}, kMaxBytes));
  add("max-message-bytes", config.max_message_bytes, "The largest message from a client")
      ->transform(CLI::AsSizeValue(false))
      ->check(CLI::Range(kMinMessageBytes, kMaxMessageBytes));
  add("grace-seconds", config.grace_seconds,
      "How long a stop waits for accepted chunks to be delivered")
      ->check(CLI::Range(0, 86'400));
  add("idle-timeout-seconds", config.idle_timeout_seconds,
      "How long a stream may say nothing while nothing is done for it (0: for ever)")
      ->check(CLI::Range(0, 86'400));
  add("write-timeout-seconds", config.write_timeout_seconds,
      "How long a client may not take what is written to it")
      ->check(CLI::Range(1, 86'400));
  add("log-level", config.log_level, "What to log")
      ->check(CLI::IsMember({"debug", "info", "warning", "error"}));
  add("log-format", config.log_format, "How to log: text (key=value) or json")
      ->check(CLI::IsMember({"text", "json"}));

  // Not by envname: CLI11 reads the file before it looks at the environment.
  const char* file = std::getenv(EnvironmentName("config").c_str());
  const bool has_file = file != nullptr && *file != '\0';
  app.set_config("--config", has_file ? file : "",
                 "A TOML file with these settings; an unknown key is an error", has_file)
      ->configurable(false);
  app.add_flag("--print-config", arguments.prints_config, "Print the settings in force as TOML")
      ->configurable(false);
  app.add_flag("--check-config", arguments.checks_config, "Check the settings and end")
      ->configurable(false);
  app.set_version_flag("--version", std::string(kProgram) + " " + CAUSEWAY_VERSION)
      ->configurable(false);
  app.get_help_ptr()->configurable(false);
  app.config_formatter(std::make_shared<SettingsFile>(app));
}

bool IsModelName(const std::string& name) {
  return !name.empty() && name.size() <= 64 &&
         name.find_first_not_of(
             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") ==
             std::string::npos;
}

/// The models of the environment: separated by those commas that a NAME= follows, for a path may
/// hold a comma too.
std::vector<std::string> EnvironmentModels() {
  std::vector<std::string> texts;
  const char* value = std::getenv(EnvironmentName("model").c_str());
  std::stringstream parts(value == nullptr ? "" : value);
  for (std::string part; std::getline(parts, part, ',');) {
    const bool is_model =
        IsModelName(part.substr(0, part.find('='))) && part.find('=') != std::string::npos;
    if (texts.empty() || is_model) {
      texts.push_back(part);
    } else {
      texts.back() += "," + part;
    }
  }
  return texts;
}

std::optional<Failure> TakeModels(const std::vector<std::string>& texts, ServerConfig& config) {
  if (texts.empty()) {
    return BadField(Reason::kBadOption, "model", "none", "at least one NAME=PATH");
  }
  std::set<std::string> names;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    ModelSource model;
    if (equals != std::string::npos) {
      model = {text.substr(0, equals), text.substr(equals + 1)};
    }
    if (!IsModelName(model.name) || model.path.empty()) {
      return BadField(Reason::kBadOption, "model", "\"" + text + "\"",
                      "NAME=PATH with a name of letters, digits, '.', '_' and '-'");
    }
    if (!names.insert(model.name).second) {
      return BadField(Reason::kBadOption, "model", "\"" + model.name + "\" twice",
                      "each name once");
    }
    config.models.push_back(std::move(model));
  }
  return std::nullopt;
}

std::optional<Failure> TakeGeometries(const std::vector<std::string>& texts, ServerConfig& config) {
  for (const std::string& text : texts) {
    const std::optional<AllowedGeometry> geometry = ParseGeometry(text);
    if (!geometry) {
      return BadField(Reason::kBadOption, "allow-geometry", Quote(text, 64),
                      "HEIGHTxWIDTH, each a multiple of 8 from 8 to 8192");
    }
    config.allowed_geometries.push_back(*geometry);
  }
  return std::nullopt;
}

std::optional<Failure> CheckAdminListen(const ServerConfig& config) {
  if (config.admin_listen == kAdminAuto || config.admin_listen == kAdminNone) return std::nullopt;
  const Result<ListenAddress> address = ParseListenAddress(config.admin_listen);
  if (!address.ok()) {
    return BadField(Reason::kBadOption, "admin-listen", Quote(config.admin_listen, 64),
                    "HOST:PORT with a port from 0 to 65535, unix:PATH, auto or none");
  }
  if (config.admin_listen == config.listen && !config.listen.ends_with(":0")) {
    return BadField(Reason::kBadOption, "admin-listen", config.admin_listen,
                    "another address than --listen");
  }
  if (!IsLocal(address.value()) && !config.insecure) {
    return BadField(Reason::kBadOption, "admin-listen", config.admin_listen,
                    "an address of this machine only, such as unix:/run/causeway/admin.sock, or "
                    "--insecure");
  }
  return std::nullopt;
}

std::optional<Failure> CheckListen(const ServerConfig& config) {
  const Result<ListenAddress> address = ParseListenAddress(config.listen);
  if (!address.ok()) return address.failure();
  if (!IsLocal(address.value()) && !config.insecure) {
    return BadField(Reason::kBadOption, "listen", config.listen,
                    "an address of this machine only, such as 127.0.0.1:50051, or --insecure");
  }
  if (address.value().is_unix && !config.port_file.empty()) {
    return BadField(Reason::kBadOption, "port-file", config.port_file,
                    "nothing where --listen is a unix socket, which has no port");
  }
  return std::nullopt;
}

EarlyExit BadSettings(std::string message) {
  std::replace(message.begin(), message.end(), '\n', ' ');
  return {kExitBadSettings, std::string(kProgram) + ": " + message + "\n"};
}

}  // namespace

std::variant<ServerConfig, EarlyExit> ParseCommandLine(int argc, const char* const* argv,
                                                       const std::vector<std::string>& backends) {
  Arguments arguments;
  arguments.config.backend = backends.front();
  arguments.config.cache_bytes = HalfOfMemory();
  CLI::App app("Decodes streams of video latents over gRPC.", kProgram);
  AddOptions(app, arguments, backends);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return EarlyExit{0, app.help()};
  } catch (const CLI::CallForVersion& version) {
    return EarlyExit{0, std::string(version.what()) + "\n"};
  } catch (const CLI::Error& error) {
    return BadSettings(error.what());
  }
  if (arguments.models.empty()) arguments.models = EnvironmentModels();
  if (const auto failure = TakeModels(arguments.models, arguments.config)) {
    return BadSettings("--" + failure->message);
  }
  if (const auto failure = TakeGeometries(arguments.geometries, arguments.config)) {
    return BadSettings("--" + failure->message);
  }
  if (const auto failure = CheckAdminListen(arguments.config)) {
    return BadSettings("--" + failure->message);
  }
  if (const auto failure = CheckListen(arguments.config)) {
    return BadSettings("--" + failure->message);
  }
  if (arguments.prints_config) return EarlyExit{0, ToToml(arguments.config)};
  if (arguments.checks_config) return EarlyExit{0, "the settings are valid\n"};
  return arguments.config;
}

}  // namespace causeway::config
