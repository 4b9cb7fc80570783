// SPDX-License-Identifier: Apache-2.0
// Where a server listens, as text: "HOST:PORT", "[IPV6]:PORT" or "unix:PATH".
#pragma once

#include <string>

#include "server/base/result.h"

namespace causeway::config {

struct ListenAddress {
  bool is_unix = false;
  std::string host;  // without brackets; empty for a unix socket
  int port = 0;      // 0: any free one
};

/// Fails with kBadOption.
Result<ListenAddress> ParseListenAddress(const std::string& text);

/// Whether only this machine can reach it: a unix socket, 127.0.0.0/8, ::1 or "localhost".
bool IsLocal(const ListenAddress& address);

}  // namespace causeway::config
