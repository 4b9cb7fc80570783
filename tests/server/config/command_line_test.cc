// SPDX-License-Identifier: Apache-2.0
#include "server/config/command_line.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "server/config/admin_address.h"

namespace causeway::config {
namespace {

class CommandLine : public ::testing::Test {
 protected:
  CommandLine() {
    folder_ = std::filesystem::temp_directory_path() / "causeway_command_line_XXXXXX";
    if (mkdtemp(folder_.data()) == nullptr) ADD_FAILURE() << "no temporary folder";
  }
  ~CommandLine() override {
    for (const std::string& name : set_) unsetenv(name.c_str());
    std::filesystem::remove_all(folder_);
  }

  void SetEnvironment(const std::string& name, const std::string& value) {
    setenv(name.c_str(), value.c_str(), 1);
    set_.push_back(name);
  }
  std::string File(const std::string& content) {
    const std::string path = folder_ + "/causeway.toml";
    std::ofstream(path) << content;
    return path;
  }
  std::variant<ServerConfig, EarlyExit> Parse(const std::vector<std::string>& arguments) {
    std::vector<const char*> argv{"causeway-server"};
    for (const std::string& argument : arguments) argv.push_back(argument.c_str());
    return ParseCommandLine(static_cast<int>(argv.size()), argv.data(), {"reference", "cpu"});
  }
  /// With a model, so that only `arguments` decide.
  ServerConfig Accept(std::vector<std::string> arguments) {
    arguments.push_back("--model=demo=/models/demo");
    const auto parsed = Parse(arguments);
    if (const auto* exit = std::get_if<EarlyExit>(&parsed)) ADD_FAILURE() << exit->text;
    return std::holds_alternative<ServerConfig>(parsed) ? std::get<ServerConfig>(parsed)
                                                        : ServerConfig();
  }
  /// The one line of a refusal.
  std::string Refuse(std::vector<std::string> arguments, bool adds_model = true) {
    if (adds_model) arguments.push_back("--model=demo=/models/demo");
    const auto parsed = Parse(arguments);
    if (!std::holds_alternative<EarlyExit>(parsed)) {
      ADD_FAILURE() << "accepted";
      return "";
    }
    const EarlyExit& exit = std::get<EarlyExit>(parsed);
    EXPECT_EQ(exit.code, 2);
    EXPECT_EQ(exit.text.rfind("causeway-server: ", 0), 0u) << exit.text;
    EXPECT_EQ(exit.text.find('\n'), exit.text.size() - 1) << exit.text;
    return exit.text;
  }
  static bool Contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }

 private:
  std::string folder_;
  std::vector<std::string> set_;
};

TEST_F(CommandLine, HasDefaults) {
  const ServerConfig config = Accept({});
  EXPECT_EQ(config.listen, "127.0.0.1:50051");
  EXPECT_EQ(config.backend, "reference");
  EXPECT_EQ(config.max_sessions, 16);
  EXPECT_GT(config.cache_bytes, 0);
  EXPECT_EQ(config.max_message_bytes, 8 * 1024 * 1024);
  EXPECT_FALSE(config.insecure);
}

TEST_F(CommandLine, ReadsEveryFlag) {
  const ServerConfig config = Accept({"--listen",   "[::1]:0",
                                      "--insecure", "--port-file",
                                      "/tmp/port",  "--backend",
                                      "cpu",        "--threads",
                                      "3",          "--max-sessions",
                                      "5",          "--cache-bytes",
                                      "8GiB",       "--max-message-bytes",
                                      "1MiB",       "--grace-seconds",
                                      "7",          "--idle-timeout-seconds",
                                      "8",          "--write-timeout-seconds",
                                      "9",          "--log-level",
                                      "debug",      "--log-format",
                                      "json"});
  EXPECT_EQ(config.listen, "[::1]:0");
  EXPECT_TRUE(config.insecure);
  EXPECT_EQ(config.port_file, "/tmp/port");
  EXPECT_EQ(config.backend, "cpu");
  EXPECT_EQ(config.threads, 3);
  EXPECT_EQ(config.max_sessions, 5);
  EXPECT_EQ(config.cache_bytes, std::int64_t{8} << 30);
  EXPECT_EQ(config.max_message_bytes, 1 << 20);
  EXPECT_EQ(config.grace_seconds, 7);
  EXPECT_EQ(config.idle_timeout_seconds, 8);
  EXPECT_EQ(config.write_timeout_seconds, 9);
  EXPECT_EQ(config.log_level, "debug");
  EXPECT_EQ(config.log_format, "json");
}

TEST_F(CommandLine, TakesSeveralModels) {
  const ServerConfig config =
      Accept({"--model", "wan21=/a=b", "--model", "x=/x", "--model", "y=/y"});
  ASSERT_EQ(config.models.size(), 4u);
  EXPECT_EQ(config.models[0].name, "wan21");
  EXPECT_EQ(config.models[0].path, "/a=b");
  EXPECT_EQ(config.models[1].name, "x");
  EXPECT_EQ(config.models[2].name, "y");
  EXPECT_EQ(config.models[3].name, "demo");
}

// ---- flag, environment, file, default
// -------------------------------------------------------------

TEST_F(CommandLine, TheFileBeatsTheDefault) {
  const std::string file = File("max-sessions = 3\nlog-level = \"debug\"\ninsecure = true\n");
  const ServerConfig config = Accept({"--config", file});
  EXPECT_EQ(config.max_sessions, 3);
  EXPECT_EQ(config.log_level, "debug");
  EXPECT_TRUE(config.insecure);
}

TEST_F(CommandLine, TheEnvironmentBeatsTheFile) {
  SetEnvironment("CAUSEWAY_MAX_SESSIONS", "4");
  const ServerConfig config =
      Accept({"--config", File("max-sessions = 3\nlog-level = \"debug\"\n")});
  EXPECT_EQ(config.max_sessions, 4);
  EXPECT_EQ(config.log_level, "debug");
}

TEST_F(CommandLine, AFlagBeatsTheEnvironmentAndTheFile) {
  SetEnvironment("CAUSEWAY_MAX_SESSIONS", "4");
  const ServerConfig config =
      Accept({"--config", File("max-sessions = 3\n"), "--max-sessions", "5"});
  EXPECT_EQ(config.max_sessions, 5);
}

TEST_F(CommandLine, TheEnvironmentCanNameModelsAndTheFile) {
  SetEnvironment("CAUSEWAY_CONFIG", File("max-sessions = 3\n"));
  SetEnvironment("CAUSEWAY_MODEL", "a=/a,b=/b");
  const auto parsed = Parse({});
  ASSERT_TRUE(std::holds_alternative<ServerConfig>(parsed)) << std::get<EarlyExit>(parsed).text;
  EXPECT_EQ(std::get<ServerConfig>(parsed).max_sessions, 3);
  EXPECT_EQ(std::get<ServerConfig>(parsed).models.size(), 2u);
}

TEST_F(CommandLine, NoPathIsSplitAtItsCommas) {
  const auto models = [this](const std::vector<std::string>& arguments) {
    const auto parsed = Parse(arguments);
    if (const auto* exit = std::get_if<EarlyExit>(&parsed)) ADD_FAILURE() << exit->text;
    std::vector<std::string> paths;
    for (const ModelSource& model : std::get<ServerConfig>(parsed).models) {
      paths.push_back(model.path);
    }
    return paths;
  };
  const std::vector<std::string> expected{"/a, b,c", "/d"};
  EXPECT_EQ(models({"--model", "a=/a, b,c", "--model", "d=/d"}), expected);
  EXPECT_EQ(models({"--config", File("model = [\"a=/a, b,c\", \"d=/d\"]\n")}), expected);
  SetEnvironment("CAUSEWAY_MODEL", "a=/a, b,c,d=/d");
  EXPECT_EQ(models({}), expected);
}

TEST_F(CommandLine, TheFileCanListModels) {
  const auto parsed = Parse({"--config", File("model = [\"a=/a\", \"b=/b\"]\n")});
  ASSERT_TRUE(std::holds_alternative<ServerConfig>(parsed)) << std::get<EarlyExit>(parsed).text;
  EXPECT_EQ(std::get<ServerConfig>(parsed).models.size(), 2u);
}

// ---- refusals
// ---------------------------------------------------------------------------------------

TEST_F(CommandLine, RefusesAnUnknownKeyInTheFileAndListsThoseThereAre) {
  const std::string line = Refuse({"--config", File("max-session = 3\n")});
  EXPECT_TRUE(Contains(line, "unknown setting \"max-session\"")) << line;
  EXPECT_TRUE(Contains(line, "max-sessions")) << line;
}

TEST_F(CommandLine, RefusesAnUnknownKeyInTheFileEvenWhereTheEnvironmentSetsIt) {
  SetEnvironment("CAUSEWAY_NONSENSE", "1");
  EXPECT_TRUE(Contains(Refuse({"--config", File("nonsense = 3\n")}), "nonsense"));
}

TEST_F(CommandLine, RefusesSectionsAndFlagsForPeopleInTheFile) {
  EXPECT_TRUE(Contains(Refuse({"--config", File("[server]\nmax-sessions = 3\n")}), "server"));
  EXPECT_TRUE(Contains(Refuse({"--config", File("print-config = true\n")}), "print-config"));
}

TEST_F(CommandLine, RefusesABadValueWhereverItComesFrom) {
  EXPECT_TRUE(Contains(Refuse({"--max-sessions", "0"}), "max-sessions"));
  EXPECT_TRUE(Contains(Refuse({"--config", File("max-sessions = 0\n")}), "max-sessions"));
  SetEnvironment("CAUSEWAY_MAX_SESSIONS", "many");
  EXPECT_TRUE(Contains(Refuse({}), "max-sessions"));
}

TEST_F(CommandLine, RefusesAFileThatIsNotThere) {
  EXPECT_TRUE(Contains(Refuse({"--config", "/nonexistent/x.toml"}), "/nonexistent/x.toml"));
  SetEnvironment("CAUSEWAY_CONFIG", "/nonexistent/y.toml");
  EXPECT_TRUE(Contains(Refuse({}), "/nonexistent/y.toml"));
}

TEST_F(CommandLine, RefusesUnknownFlagsAndStrayArguments) {
  EXPECT_TRUE(Contains(Refuse({"--no-such-flag"}), "no-such-flag"));
  EXPECT_TRUE(Contains(Refuse({"stray"}), "stray"));
}

TEST_F(CommandLine, RefusesValuesOutsideTheirRange) {
  for (const auto& [flag, value] :
       std::vector<std::pair<std::string, std::string>>{{"--threads", "-1"},
                                                        {"--cache-bytes", "0"},
                                                        {"--cache-bytes", "-5"},
                                                        {"--cache-bytes", "8 bananas"},
                                                        {"--max-message-bytes", "1"},
                                                        {"--max-message-bytes", "1GiB"},
                                                        {"--grace-seconds", "-1"},
                                                        {"--idle-timeout-seconds", "-1"},
                                                        {"--write-timeout-seconds", "0"},
                                                        {"--log-level", "loud"},
                                                        {"--log-format", "xml"},
                                                        {"--backend", "quantum"},
                                                        {"--listen", "nowhere"}}) {
    EXPECT_TRUE(Contains(Refuse({flag, value}), flag.substr(2))) << flag << " " << value;
  }
}

TEST_F(CommandLine, RefusesModelsThatAreNoneOrNamelessOrTwice) {
  EXPECT_TRUE(Contains(Refuse({}, false), "at least one NAME=PATH"));
  for (const char* model : {"/models/x", "=x", "x=", "a b=/x", "a/b=/x"}) {
    EXPECT_TRUE(Contains(Refuse({"--model", model}), "NAME=PATH")) << model;
  }
  EXPECT_TRUE(Contains(Refuse({"--model", "demo=/other"}), "twice"));
}

TEST_F(CommandLine, ListensBeyondThisMachineOnlyWhereAllowed) {
  EXPECT_TRUE(Contains(Refuse({"--listen", "0.0.0.0:50051"}), "--insecure"));
  EXPECT_EQ(Accept({"--listen", "0.0.0.0:50051", "--insecure"}).listen, "0.0.0.0:50051");
}

TEST_F(CommandLine, RefusesAPortFileForAUnixSocket) {
  EXPECT_TRUE(Contains(Refuse({"--listen", "unix:/tmp/x", "--port-file", "/tmp/p"}), "port-file"));
}

// ---- what people ask for
// --------------------------------------------------------------------------

TEST_F(CommandLine, PrintsASettingsFileThatGivesTheSameSettings) {
  const std::vector<std::string> arguments{
      "--listen",    "127.0.0.1:0",    "--max-sessions",   "5",           "--cache-bytes",
      "7MiB",        "--model",        "a=/a b",           "--model",     "b=/b",
      "--port-file", "/tmp/p",         "--allow-geometry", "192x320,8x8", "--admin-listen",
      "unix:/tmp/a", "--no-reflection"};
  std::vector<std::string> printing = arguments;
  printing.push_back("--print-config");
  const auto printed = Parse(printing);
  ASSERT_TRUE(std::holds_alternative<EarlyExit>(printed));
  ASSERT_EQ(std::get<EarlyExit>(printed).code, 0);
  const std::string text = std::get<EarlyExit>(printed).text;
  const auto parsed = Parse({"--config", File(text)});
  ASSERT_TRUE(std::holds_alternative<ServerConfig>(parsed)) << std::get<EarlyExit>(parsed).text;
  EXPECT_EQ(ToToml(std::get<ServerConfig>(parsed)), text);
  EXPECT_TRUE(Contains(text, "cache-bytes = 7340032\n")) << text;
}

TEST_F(CommandLine, ChecksSettingsWithoutStarting) {
  const auto good = Parse({"--check-config", "--model", "a=/a"});
  ASSERT_TRUE(std::holds_alternative<EarlyExit>(good));
  EXPECT_EQ(std::get<EarlyExit>(good).code, 0);
  Refuse({"--check-config", "--threads", "-1"});
}

TEST_F(CommandLine, TellsItsVersionAndHelp) {
  const auto version = Parse({"--version"});
  ASSERT_TRUE(std::holds_alternative<EarlyExit>(version));
  EXPECT_EQ(std::get<EarlyExit>(version).code, 0);
  EXPECT_TRUE(Contains(std::get<EarlyExit>(version).text, "causeway-server 0."));
  const auto help = Parse({"--help"});
  ASSERT_TRUE(std::holds_alternative<EarlyExit>(help));
  EXPECT_EQ(std::get<EarlyExit>(help).code, 0);
  for (const char* flag : {"--listen", "--model", "--cache-bytes", "--config"}) {
    EXPECT_TRUE(Contains(std::get<EarlyExit>(help).text, flag)) << flag;
  }
}

TEST_F(CommandLine, TakesGeometriesOnceForEachOrByCommas) {
  const ServerConfig config =
      Accept({"--allow-geometry=192x320", "--allow-geometry=704x1280,8x8192"});
  std::vector<std::pair<int, int>> sizes;
  for (const AllowedGeometry& each : config.allowed_geometries) {
    sizes.emplace_back(each.height, each.width);
  }
  EXPECT_EQ(sizes, (std::vector<std::pair<int, int>>{{192, 320}, {704, 1280}, {8, 8192}}));
  EXPECT_TRUE(Accept({}).allowed_geometries.empty());
}

TEST_F(CommandLine, RefusesGeometriesThatNoModelCanHave) {
  for (const char* text : {"192", "192x", "x320", "192x321", "0x320", "192x8200", "192X320",
                           "192x320x3", "-8x320", "+8x320", "192x320 "}) {
    const std::string line = Refuse({std::string("--allow-geometry=") + text});
    EXPECT_TRUE(Contains(line, "--allow-geometry: got '") && Contains(line, "HEIGHTxWIDTH"))
        << line;
  }
}

TEST_F(CommandLine, AdminListensOnThisMachineOnly) {
  EXPECT_EQ(Accept({}).admin_listen, kAdminAuto);
  for (const char* address : {"none", "auto", "unix:/tmp/admin.sock", "127.0.0.1:0"}) {
    EXPECT_EQ(Accept({std::string("--admin-listen=") + address}).admin_listen, address);
  }
  EXPECT_TRUE(Contains(Refuse({"--listen=unix:/tmp/s", "--admin-listen=unix:/tmp/s"}),
                       "allowed: another address than --listen"));
  const std::string line = Refuse({"--admin-listen=0.0.0.0:1"});
  EXPECT_TRUE(Contains(line, "--admin-listen: got 0.0.0.0:1") && Contains(line, "--insecure"))
      << line;
  EXPECT_EQ(Accept({"--admin-listen=0.0.0.0:1", "--insecure"}).admin_listen, "0.0.0.0:1");
  EXPECT_TRUE(Contains(Refuse({"--admin-listen=here"}), "--admin-listen: got 'here'"));
}

TEST_F(CommandLine, AdminIsNowhereWhereItIsOff) {
  ServerConfig config;
  config.admin_listen = kAdminNone;
  EXPECT_EQ(AdminAddress(config), "");
  config.admin_listen = "127.0.0.1:0";
  EXPECT_EQ(AdminAddress(config), "127.0.0.1:0");
  config.admin_listen = kAdminAuto;
  const std::string found = AdminAddress(config);
  EXPECT_EQ(found.empty(), access("/run/causeway", W_OK) != 0);
  EXPECT_TRUE(found.empty() || found == kAdminAddress);
}

TEST_F(CommandLine, SettingsNameEveryValueAsAFlagWouldHaveIt) {
  const auto settings = Settings(Accept({"--allow-geometry=8x16,16x8", "--max-sessions=3"}));
  const std::map<std::string, std::string> values(settings.begin(), settings.end());
  EXPECT_EQ(values.at("allow-geometry"), "8x16,16x8");
  EXPECT_EQ(values.at("max-sessions"), "3");
  EXPECT_EQ(values.at("model"), "demo=/models/demo");
  EXPECT_EQ(values.at("no-reflection"), "false");
}

}  // namespace
}  // namespace causeway::config
