// The server: who connects, and what he can do to others.
#include "actors/console/http_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/actors/console/raw_client.h"

namespace troupe::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

/// Replies with the path at once; to /later when the test says so.
class HttpServerTest : public testing::Test {
 protected:
  HttpServerTest() {
    auto server =
        HttpServer::start("127.0.0.1", 0, [this](const HttpRequest& request, HttpServer::Answer answer) {
          if (request.path == "/throw") throw std::runtime_error("told to throw");
          auto make = [path = request.path] {
            if (path == "/throw/late") throw std::runtime_error("told to throw late");
            return HttpReply{200, "text/plain", path == "/large" ? std::string(4 << 20, 'x') : path};
          };
          if (request.path != "/later") return answer(make);
          std::lock_guard lock(mu_);
          later_.push_back([answer, make] { answer(make); });
          changed_.notify_all();
        });
    EXPECT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
  }
  int port() const { return server_->port(); }
  std::function<void()> await_later() {
    std::unique_lock lock(mu_);
    EXPECT_TRUE(changed_.wait_for(lock, std::chrono::seconds(10), [&] { return !later_.empty(); }));
    return later_.back();
  }

  std::mutex mu_;
  std::condition_variable changed_;
  std::vector<std::function<void()>> later_;
  std::unique_ptr<HttpServer> server_;
};

TEST_F(HttpServerTest, answers_requests) {
  EXPECT_THAT(get(port(), "/a"), AllOf(StartsWith("HTTP/1.1 200 OK"), HasSubstr("\r\n\r\n/a")));
  const RawClient head(port());
  head.send("HEAD /abc HTTP/1.1\r\n\r\n");
  EXPECT_EQ(body_of(head.receive_all()), "");
  EXPECT_EQ(body_of(get(port(), "/large")).size(), 4u << 20);
}

TEST_F(HttpServerTest, says_what_is_wrong_with_a_request_and_goes_on) {
  struct Wrong {
    std::string bytes;
    const char* code;
    const char* phrase;
  };
  const std::vector<Wrong> wrong = {
      {"POST / HTTP/1.1\r\n\r\n", "405", "only GET and HEAD are understood"},
      {"hello\r\n\r\n", "400", "this is no HTTP request"},
      {"GET / HTTP/3.0\r\n\r\n", "505", "only HTTP/1.0 and HTTP/1.1 are understood"},
      {"GET /" + std::string(1 << 20, 'a'), "431", "the head of a request has at most 8192 bytes"},
      {"\x16\x03\x01", "400", "this is no HTTP request"},
  };
  for (const auto& [bytes, code, phrase] : wrong) {
    const RawClient client(port());
    // It may hang up before it has read all.
    client.send(bytes);
    EXPECT_THAT(client.receive_all(), AllOf(StartsWith(absl::StrCat("HTTP/1.1 ", code)), HasSubstr(phrase)))
        << bytes.substr(0, 30);
  }
  EXPECT_THAT(get(port(), "/a"), HasSubstr("\r\n\r\n/a"));
}

TEST_F(HttpServerTest, survives_a_handler_that_throws) {
  EXPECT_THAT(get(port(), "/throw"), AllOf(StartsWith("HTTP/1.1 503"), HasSubstr("told to throw")));
  EXPECT_THAT(get(port(), "/throw/late"), AllOf(StartsWith("HTTP/1.1 503"), HasSubstr("told to throw late")));
  EXPECT_THAT(get(port(), "/a"), HasSubstr("\r\n\r\n/a"));
}

TEST_F(HttpServerTest, holds_nobody_up_for_those_who_say_nothing) {
  std::vector<std::unique_ptr<RawClient>> silent;
  for (int i = 0; i < 200; ++i) {
    silent.push_back(std::make_unique<RawClient>(port()));
    if (i % 2 == 0) silent.back()->send("GET /slow");
  }
  EXPECT_THAT(get(port(), "/a"), HasSubstr("\r\n\r\n/a"));
  EXPECT_THAT(silent[0]->receive_all(), StartsWith("HTTP/1.1 408"));
  EXPECT_TRUE(silent[1]->sees_end());
}

TEST_F(HttpServerTest, refuses_more_connections_than_it_may_have_and_takes_them_again_later) {
  std::vector<std::unique_ptr<RawClient>> many;
  for (size_t i = 0; i < HttpServer::kMaxConnections; ++i)
    many.push_back(std::make_unique<RawClient>(port()));
  EXPECT_THAT(get(port(), "/a"), AllOf(StartsWith("HTTP/1.1 503"), HasSubstr("too many connections")));
  many.clear();
  std::string answer;
  for (int i = 0; i < 100 && body_of(answer) != "/a"; ++i) answer = get(port(), "/a");
  EXPECT_EQ(body_of(answer), "/a");
}

TEST_F(HttpServerTest, waits_for_an_answer_and_forgets_who_has_hung_up) {
  {
    const RawClient gone(port());
    gone.send("GET /later HTTP/1.1\r\n\r\n");
    (void)await_later();
  }
  await_later()();
  const RawClient client(port());
  later_.clear();
  client.send("GET /later HTTP/1.1\r\n\r\n");
  const auto answer = await_later();
  EXPECT_EQ(body_of(get(port(), "/a")), "/a") << "others do not wait";
  answer();
  answer();
  EXPECT_EQ(body_of(client.receive_all()), "/later");
}

TEST_F(HttpServerTest, ends_while_clients_wait) {
  const RawClient client(port());
  client.send("GET /later HTTP/1.1\r\n\r\n");
  const auto answer = await_later();
  server_.reset();
  EXPECT_TRUE(client.sees_end());
  answer();
}

TEST_F(HttpServerTest, says_that_its_port_is_in_use) {
  const auto other =
      HttpServer::start("127.0.0.1", port(), [](const HttpRequest&, const HttpServer::Answer&) {});
  EXPECT_EQ(other.status().code(), absl::StatusCode::kFailedPrecondition) << other.status();
  EXPECT_THAT(std::string(other.status().message()),
              AllOf(HasSubstr(absl::StrCat("127.0.0.1:", port())), HasSubstr("Address already in use")));
  EXPECT_EQ(body_of(get(port(), "/a")), "/a");
}

TEST(HttpServerPatience, ends_with_an_error_that_says_who_was_late) {
  HttpServer::Patience little;
  little.request = little.handler = std::chrono::milliseconds(100);
  const auto server = HttpServer::start(
      "127.0.0.1", 0, [](const HttpRequest&, const HttpServer::Answer&) {}, little);
  ASSERT_TRUE(server.ok()) << server.status();
  const RawClient half((*server)->port()), silent((*server)->port());
  half.send("GET /a");
  EXPECT_THAT(half.receive_all(),
              AllOf(StartsWith("HTTP/1.1 408"), HasSubstr("the request did not come to its end")));
  EXPECT_TRUE(silent.sees_end());
  EXPECT_THAT(get((*server)->port(), "/a"),
              AllOf(StartsWith("HTTP/1.1 504"), HasSubstr("the runtime did not answer in time")));
}

TEST(HttpServerStart, refuses_what_is_no_address) {
  const auto start = [](const std::string& host, int port) {
    return HttpServer::start(host, port, [](const HttpRequest&, const HttpServer::Answer&) {}).status();
  };
  EXPECT_EQ(start("nowhere.example", 0).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(start("127.0.0.1", 70000).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(start("127.0.0.1", -1).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_FALSE(start("192.0.2.1", 0).ok()) << "an address of no machine";
}

}  // namespace
}  // namespace troupe::test
