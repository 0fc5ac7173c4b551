// Asking a server by HTTP, and what may answer.
#include "tools/troupe/http_get.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "actors/console/http_server.h"

namespace troupe {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

class HttpGetTest : public testing::Test {
 protected:
  HttpGetTest() {
    auto server =
        HttpServer::start("127.0.0.1", 0, [](const HttpRequest& request, const HttpServer::Answer& answer) {
          if (request.path == "/never") return;
          answer([path = request.path] {
            return path == "/no" ? http_error(404) : HttpReply{200, "text/plain", "at " + path};
          });
        });
    EXPECT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
  }
  std::unique_ptr<HttpServer> server_;
};

TEST_F(HttpGetTest, takes_a_port_an_address_or_a_url) {
  for (const char* host : {"", ":", "127.0.0.1:", "localhost:", "http://127.0.0.1:"}) {
    const auto body = http_get(absl::StrCat(host, server_->port()), "/x", 5s);
    ASSERT_TRUE(body.ok()) << host << ": " << body.status();
    EXPECT_EQ(*body, "at /x");
  }
}

TEST_F(HttpGetTest, refuses_what_is_no_server) {
  for (const char* other : {"", "here", "here:", "1:2:x", "localhost:0", "localhost:70000"})
    EXPECT_EQ(http_get(other, "/", 1s).status().code(), absl::StatusCode::kInvalidArgument) << other;
}

TEST_F(HttpGetTest, says_why_there_is_no_answer) {
  const std::string where = absl::StrCat("127.0.0.1:", server_->port());
  EXPECT_THAT(std::string(http_get(where, "/no", 5s).status().message()),
              HasSubstr("HTTP/1.1 404 Not Found"));
  EXPECT_EQ(http_get(where, "/never", 100ms).status().code(), absl::StatusCode::kUnavailable);
  server_.reset();
  EXPECT_THAT(std::string(http_get(where, "/x", 5s).status().message()), HasSubstr("Connection refused"));
}

}  // namespace
}  // namespace troupe
