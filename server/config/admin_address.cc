// SPDX-License-Identifier: Apache-2.0
#include "server/config/admin_address.h"

#include <filesystem>

#include <unistd.h>

namespace causeway::config {

std::string AdminAddress(const ServerConfig& config) {
  if (config.admin_listen == kAdminNone) return "";
  if (config.admin_listen != kAdminAuto) return config.admin_listen;
  const std::string address = kAdminAddress;
  const std::filesystem::path socket = address.substr(address.find('/'));
  return access(socket.parent_path().c_str(), W_OK) == 0 ? address : "";
}

}  // namespace causeway::config
