// SPDX-License-Identifier: Apache-2.0
#include "server/config/listen_address.h"

#include <gtest/gtest.h>

namespace causeway::config {
namespace {

TEST(ListenAddress, TakesHostsAndPortsApart) {
  const Result<ListenAddress> ipv4 = ParseListenAddress("127.0.0.1:50051");
  ASSERT_TRUE(ipv4.ok());
  EXPECT_EQ(ipv4.value().host, "127.0.0.1");
  EXPECT_EQ(ipv4.value().port, 50051);
  const Result<ListenAddress> ipv6 = ParseListenAddress("[::1]:0");
  ASSERT_TRUE(ipv6.ok());
  EXPECT_EQ(ipv6.value().host, "::1");
  EXPECT_EQ(ipv6.value().port, 0);
  const Result<ListenAddress> unix_socket = ParseListenAddress("unix:/run/causeway.sock");
  ASSERT_TRUE(unix_socket.ok());
  EXPECT_TRUE(unix_socket.value().is_unix);
}

TEST(ListenAddress, RefusesWhatIsNoAddress) {
  for (const char* text :
       {"", "localhost", ":50051", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:80x",
        "::1:80", "[::1]", "[]:80", "[::1:80", "unix:"}) {
    const Result<ListenAddress> address = ParseListenAddress(text);
    ASSERT_FALSE(address.ok()) << text;
    EXPECT_EQ(address.failure().field, "listen");
  }
}

TEST(ListenAddress, KnowsWhatOnlyThisMachineCanReach) {
  for (const char* text : {"127.0.0.1:1", "127.9.9.9:1", "[::1]:1", "localhost:1", "unix:/x"}) {
    EXPECT_TRUE(IsLocal(ParseListenAddress(text).value())) << text;
  }
  for (const char* text : {"0.0.0.0:1", "10.0.0.1:1", "128.0.0.1:1", "[::]:1", "[fe80::1]:1",
                           "example.org:1", "localhost.example.org:1", "127.0.0.1.example.org:1"}) {
    EXPECT_FALSE(IsLocal(ParseListenAddress(text).value())) << text;
  }
}

}  // namespace
}  // namespace causeway::config
