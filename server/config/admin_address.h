// SPDX-License-Identifier: Apache-2.0
// Where Admin listens, once "auto" and "none" are resolved.
#pragma once

#include <string>

#include "server/config/server_config.h"

namespace causeway::config {

/// Empty: nowhere. Looks at the file system where `admin_listen` is kAdminAuto.
std::string AdminAddress(const ServerConfig& config);

}  // namespace causeway::config
