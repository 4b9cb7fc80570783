// SPDX-License-Identifier: Apache-2.0
// causeway-server: puts the parts together, runs until it is told to stop, and takes them apart.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <malloc.h>
#include <sys/resource.h>

#include "server/base/failure.h"
#include "server/base/output_file.h"
#include "server/base/shutdown_signals.h"
#include "server/config/admin_address.h"
#include "server/config/command_line.h"
#include "server/config/log_writer.h"
#include "server/decoder/backends/backend_table.h"
#include "server/rpc/admin_service.h"
#include "server/rpc/decode_service.h"
#include "server/rpc/server.h"
#include "server/scheduler/model_worker.h"
#include "server/scheduler/scheduler.h"
#include "server/session/capacity.h"

namespace causeway {
namespace {

void LoadModels(const config::ServerConfig& config, ModelWorker& worker, Log& log) {
  for (const config::ModelSource& model : config.models) {
    worker.Load(model.name,
                {.model_path = model.path, .backend = config.backend, .threads = config.threads});
    log.Write(LogLevel::kInfo, "model_loaded",
              {{"model", model.name}, {"path", model.path}, {"backend", config.backend}});
  }
}

/// Appears whole: whoever waits for the file reads no half of a number.
void WritePortFile(const std::string& path, int port) {
  OutputFile file(path);
  const std::string line = std::to_string(port) + "\n";
  file.Write(std::as_bytes(std::span(line)));
  file.Commit();
}

/// Empty for a unix socket, which has no port.
std::string PortText(const std::string& address, const rpc::Server& server) {
  return address.starts_with("unix:") ? "" : std::to_string(server.port());
}

/// Nothing where Admin is off.
std::unique_ptr<rpc::Server> StartAdmin(const config::ServerConfig& config, grpc::Service& service,
                                        Log& log) {
  const std::string address = config::AdminAddress(config);
  if (address.empty()) {
    log.Write(LogLevel::kInfo, "admin_off", {{"admin_listen", config.admin_listen}});
    return nullptr;
  }
  rpc::ServerOptions options;
  options.listen = address;
  options.has_reflection = !config.no_reflection;
  auto server = std::make_unique<rpc::Server>(options, service);
  log.Write(LogLevel::kInfo, "admin_listening",
            {{"address", address}, {"port", PortText(address, *server)}});
  return server;
}

std::vector<decoder::Geometry> AllowedGeometries(const config::ServerConfig& config) {
  std::vector<decoder::Geometry> geometries;
  for (const config::AllowedGeometry& each : config.allowed_geometries) {
    geometries.push_back({.height = each.height, .width = each.width});
  }
  return geometries;
}

void Run(const config::ServerConfig& config) {
  ShutdownSignals signals;
  config::LogWriter log(std::clog, config.log_level, config.log_format);
  ModelWorker worker(AllowedGeometries(config));
  LoadModels(config, worker, log);

  CapacityLedger ledger(config.max_sessions, config.cache_bytes);
  Scheduler scheduler;
  rpc::StreamTimeouts timeouts;
  timeouts.idle = std::chrono::seconds(config.idle_timeout_seconds);
  timeouts.write = std::chrono::seconds(config.write_timeout_seconds);
  timeouts.drain_grace = std::chrono::seconds(config.grace_seconds);
  rpc::DecodeService service(worker, scheduler, ledger, log, config.max_message_bytes, timeouts);
  rpc::AdminService admin(
      service, log,
      {[&log](const std::string& level) { return log.SetLevel(level); }, config::Settings(config)});
  bool is_drained = false;
  {
    rpc::Server server({config.listen, config.max_message_bytes, config.max_sessions,
                        !config.no_reflection, rpc::HealthNames(worker.model_names())},
                       service);
    const std::unique_ptr<rpc::Server> admin_server = StartAdmin(config, admin, log);
    if (!config.port_file.empty()) WritePortFile(config.port_file, server.port());
    log.Write(LogLevel::kInfo, "listening",
              {{"address", config.listen}, {"port", PortText(config.listen, server)}});
    signals.Watch([&](int count) {
      log.Write(LogLevel::kInfo, count == 1 ? "draining" : "stopping_at_once", {});
      if (count > 1) return service.Abandon();
      server.SetServing(false);
      service.Drain();
    });
    is_drained = service.WaitUntilDrained(std::chrono::seconds(config.grace_seconds));
    signals.Stop();
  }
  log.Write(LogLevel::kInfo, "stopped", {{"drained", is_drained ? "true" : "false"}});
  // The stop is done: one more signal must not make a death by signal of it.
  std::signal(SIGTERM, SIG_IGN);
  std::signal(SIGINT, SIG_IGN);
}

/// A connection is a file, and gRPC 1.51 never listens again once it has run out of them.
void AllowManyFiles() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

int Main(int argc, char** argv) {
  // gRPC writes its own error lines; GRPC_VERBOSITY, where it is set, brings them back.
  setenv("GRPC_VERBOSITY", "NONE", 0);
  // A reader of the log that goes away costs log lines, not streams.
  std::signal(SIGPIPE, SIG_IGN);
  AllowManyFiles();
  const auto parsed = config::ParseCommandLine(argc, argv, decoder::BackendNames());
  if (const auto* exit = std::get_if<config::EarlyExit>(&parsed)) {
    (exit->code == 0 ? std::cout : std::cerr) << exit->text;
    return exit->code;
  }
  try {
    Run(std::get<config::ServerConfig>(parsed));
  } catch (const std::exception& error) {
    const std::string text = error.what();
    std::cerr << "causeway-server: " << text.substr(0, text.find('\n')) << "\n";
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace causeway

int main(int argc, char** argv) {
  // One heap for all threads: with one a thread, what sessions free stays behind in each of them.
  // Allocations are few, a handful a latent, so nobody waits for it.
  mallopt(M_ARENA_MAX, 1);
  return causeway::Main(argc, argv);
}
