#include "actors/grpc_door/server_address.h"

#include <gmock/gmock.h>

#include "absl/strings/str_cat.h"
#include "actors/loopback.h"

namespace troupe::test {
namespace {

using testing::HasSubstr;

TEST(ServerAddress, is_a_host_and_a_port) {
  for (const char* host : {"localhost", "127.0.0.1", "[::1]", "0.0.0.0", "example.com"}) {
    const auto address = ServerAddress::parse(absl::StrCat(host, ":2222"));
    ASSERT_TRUE(address.ok()) << address.status();
    EXPECT_EQ(address->port, 2222);
    EXPECT_EQ(address->with_port(7), absl::StrCat(host, ":7"));
  }
}

TEST(Listening, is_for_the_loopback_alone_without_tls) {
  for (const char* host : {"localhost", "127.0.0.1", "127.9.8.7", "::1"})
    EXPECT_EQ(check_listening(host, false, false), absl::OkStatus()) << host;
  for (const char* host : {"0.0.0.0", "::", "10.0.0.7", "example.com", "", "128.0.0.1"}) {
    const absl::Status refused = check_listening(host, false, false);
    EXPECT_TRUE(absl::IsPermissionDenied(refused)) << host;
    EXPECT_THAT(std::string(refused.message()),
                HasSubstr(absl::StrCat("without TLS, not on \"", host, "\"")));
    EXPECT_EQ(check_listening(host, true, false), absl::OkStatus()) << host;
    EXPECT_EQ(check_listening(host, false, true), absl::OkStatus()) << host;
  }
}

TEST(ServerAddress, refuses_what_has_no_port) {
  for (const char* text :
       {"", ":1", "localhost", "localhost:", "localhost:x", "localhost:-1", "localhost:65536"}) {
    const auto address = ServerAddress::parse(text);
    EXPECT_TRUE(absl::IsInvalidArgument(address.status())) << text;
  }
}

}  // namespace
}  // namespace troupe::test
