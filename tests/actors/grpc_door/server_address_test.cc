#include "actors/grpc_door/server_address.h"

#include <gmock/gmock.h>

#include "absl/strings/str_cat.h"

namespace troupe::test {
namespace {

using testing::HasSubstr;

TEST(ServerAddress, is_a_host_of_the_loopback_and_a_port) {
  for (const char* host : {"localhost", "127.0.0.1", "127.9.8.7", "[::1]"}) {
    const auto address = ServerAddress::parse(absl::StrCat(host, ":2222"));
    ASSERT_TRUE(address.ok()) << address.status();
    EXPECT_EQ(address->port, 2222);
    EXPECT_EQ(address->with_port(7), absl::StrCat(host, ":7"));
  }
}

TEST(ServerAddress, refuses_hosts_that_others_reach) {
  for (const char* text : {"0.0.0.0:1", "[::]:1", "10.0.0.7:1", "example.com:1", ":1", "128.0.0.1:1"}) {
    const auto address = ServerAddress::parse(text);
    EXPECT_TRUE(absl::IsPermissionDenied(address.status())) << text;
    EXPECT_THAT(std::string(address.status().message()), HasSubstr("without TLS"));
  }
}

TEST(ServerAddress, refuses_what_has_no_port) {
  for (const char* text : {"", "localhost", "localhost:", "localhost:x", "localhost:-1", "localhost:65536"}) {
    const auto address = ServerAddress::parse(text);
    EXPECT_TRUE(absl::IsInvalidArgument(address.status())) << text;
  }
}

}  // namespace
}  // namespace troupe::test
