// SPDX-License-Identifier: Apache-2.0
// The settings of causeway-server, with their defaults, checked.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace causeway::config {

/// Admin is at kAdminAddress where that folder can be written to, or nowhere.
inline constexpr char kAdminAuto[] = "auto";
inline constexpr char kAdminNone[] = "none";
inline constexpr char kAdminAddress[] = "unix:/run/causeway/admin.sock";

struct ModelSource {
  std::string name;  // as clients call it: letters, digits, '.', '_' and '-'
  std::string path;  // a diffusers folder or an original Wan file
};

/// The size of a picture in pixels.
struct AllowedGeometry {
  int height = 0;
  int width = 0;
};

struct ServerConfig {
  std::string listen = "127.0.0.1:50051";
  std::string admin_listen = kAdminAuto;  // kAdminAuto, kAdminNone or an address
  bool insecure = false;                  // may listen beyond this machine without TLS
  std::string port_file;                  // where the port in use is written; empty: nowhere
  std::vector<ModelSource> models;
  std::vector<AllowedGeometry> allowed_geometries;  // empty: any
  std::string backend;                              // the first that the build has, unless set
  int threads = 0;  // CPU threads inside one operation; 0: one a core
  int max_sessions = 16;
  std::int64_t cache_bytes = 0;  // of decoder state in all; half of the machine's memory unless set
  int max_message_bytes = 8 * 1024 * 1024;
  int grace_seconds = 30;
  int idle_timeout_seconds = 30;  // 0: never
  int write_timeout_seconds = 15;
  bool no_reflection = false;
  std::string log_level = "info";
  std::string log_format = "text";
};

/// Name and value of every setting, as flags; lists are separated by commas.
std::vector<std::pair<std::string, std::string>> Settings(const ServerConfig& config);

/// The settings as a file that --config reads.
std::string ToToml(const ServerConfig& config);

}  // namespace causeway::config
