// The heads of requests, good ones and others.
#include "actors/console/http_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace troupe::test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

int read(const std::string& bytes) {
  HttpRequest request;
  return read_http_request(bytes, &request);
}

TEST(HttpRequestTest, has_a_method_and_a_path_without_its_query) {
  HttpRequest request;
  ASSERT_EQ(read_http_request("GET /api/status?x=1&y HTTP/1.1\r\nHost: here:80\r\nAccept: */*\r\n\r\nbody",
                              &request),
            200);
  EXPECT_EQ(request.method, "GET");
  EXPECT_EQ(request.path, "/api/status");
  ASSERT_EQ(read_http_request("HEAD / HTTP/1.0\r\n\r\n", &request), 200);
  EXPECT_EQ(request.method, "HEAD");
  EXPECT_EQ(request.path, "/");
}

TEST(HttpRequestTest, may_come_byte_by_byte) {
  const std::string whole = "GET /metrics HTTP/1.1\r\nHost: here\r\n\r\n";
  for (size_t n = 0; n < whole.size(); ++n) EXPECT_EQ(read(whole.substr(0, n)), 0) << n;
  EXPECT_EQ(read(whole), 200);
}

TEST(HttpRequestTest, that_is_no_http_is_refused_at_its_first_bytes) {
  EXPECT_EQ(read("\x16\x03\x01\x02"), 400) << "a TLS handshake";
  EXPECT_EQ(read(std::string("\0\0\0", 3)), 400);
  EXPECT_EQ(read("get / HTTP/1.1"), 400);
  EXPECT_EQ(read(std::string(17, 'G')), 400) << "no method is so long";
}

TEST(HttpRequestTest, with_a_wrong_line_is_refused) {
  EXPECT_EQ(read("GET /\r\n\r\n"), 400);
  EXPECT_EQ(read("GET  / HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(read("GET metrics HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(read("GET /\x01 HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(read("GET / FTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(read("GET / HTTP/2.0\r\n\r\n"), 505);
  EXPECT_EQ(read("GET / HTTP/1.1\r\nno colon\r\n\r\n"), 400);
  EXPECT_EQ(read("GET / HTTP/1.1\r\n: no name\r\n\r\n"), 400);
}

TEST(HttpRequestTest, that_is_too_long_is_refused_with_or_without_an_end) {
  const std::string line = "GET / HTTP/1.1\r\nX: ";
  EXPECT_EQ(read(line + std::string(kMaxHttpHeadBytes, 'x')), 431);
  EXPECT_EQ(read(line + std::string(kMaxHttpHeadBytes, 'x') + "\r\n\r\n"), 431);
  EXPECT_EQ(read(line + std::string(kMaxHttpHeadBytes - line.size(), 'x') + "\r\n\r\n"), 200)
      << "the longest";
}

TEST(HttpReplyTest, says_what_it_is_and_how_long) {
  const std::string text = http_text({200, "text/html", "<p>"}, false);
  EXPECT_THAT(text, StartsWith("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 3\r\n"));
  EXPECT_THAT(text, EndsWith("\r\n\r\n<p>"));
  EXPECT_THAT(http_text({200, "text/html", "<p>"}, true), EndsWith("\r\n\r\n"));
  EXPECT_THAT(http_text(http_error(431), false), HasSubstr("431 Request Header Fields Too Large"));
  EXPECT_EQ(http_error(404, "no such").body, "404 Not Found: no such\n");
}

}  // namespace
}  // namespace troupe::test
