// SPDX-License-Identifier: Apache-2.0
#include "server/config/listen_address.h"

#include <charconv>

#include <arpa/inet.h>

namespace causeway::config {
namespace {

constexpr char kUnixPrefix[] = "unix:";
constexpr int kMaxPort = 65535;

bool ParsePort(const std::string& text, int& port) {
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, port);
  return error == std::errc() && rest == end && port >= 0 && port <= kMaxPort;
}

/// "host:port" or "[host]:port" taken apart; false where it is neither.
bool Split(const std::string& text, std::string& host, std::string& port) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0) return false;
  host = text.substr(0, colon);
  port = text.substr(colon + 1);
  if (host.front() == '[') {
    if (host.size() < 3 || host.back() != ']') return false;
    host = host.substr(1, host.size() - 2);
    return true;
  }
  return host.find(':') == std::string::npos;
}

}  // namespace

Result<ListenAddress> ParseListenAddress(const std::string& text) {
  const Failure failure = BadField(Reason::kBadOption, "listen", "\"" + text + "\"",
                                   "HOST:PORT with a port from 0 to 65535, or unix:PATH");
  ListenAddress address;
  if (text.starts_with(kUnixPrefix)) {
    address.is_unix = true;
    if (text.size() == sizeof(kUnixPrefix) - 1) return failure;
    return address;
  }
  std::string port;
  if (!Split(text, address.host, port) || !ParsePort(port, address.port)) return failure;
  return address;
}

bool IsLocal(const ListenAddress& address) {
  if (address.is_unix || address.host == "localhost") return true;
  in_addr ipv4{};
  if (inet_pton(AF_INET, address.host.c_str(), &ipv4) == 1) return ntohl(ipv4.s_addr) >> 24 == 127;
  in6_addr ipv6{};
  return inet_pton(AF_INET6, address.host.c_str(), &ipv6) == 1 && IN6_IS_ADDR_LOOPBACK(&ipv6);
}

}  // namespace causeway::config
