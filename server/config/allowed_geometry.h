// SPDX-License-Identifier: Apache-2.0
// A picture size as text: "704x1280", height before width.
#pragma once

#include <optional>
#include <string>

#include "server/config/server_config.h"

namespace causeway::config {

/// Nothing unless both are multiples of 8 from 8 to 8192.
std::optional<AllowedGeometry> ParseGeometry(const std::string& text);

}  // namespace causeway::config
