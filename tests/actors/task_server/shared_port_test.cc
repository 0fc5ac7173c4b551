// A port of a node that gRPC's clients come to, too.
#include "actors/task_server/shared_port.h"

#include <gmock/gmock.h>
#include <poll.h>
#include <sys/socket.h>

#include <condition_variable>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

#include "actors/node/hello.h"
#include "actors/sockets/dial.h"
#include "actors/sockets/resolve.h"
#include "actors/sockets/socket.h"

namespace troupe::test {
namespace {

using testing::HasSubstr;

constexpr char kPreface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// A port, and who came to it.
class SharedPortTest : public testing::Test {
 protected:
  void SetUp() override {
    auto listening = SharedPort::listen({"127.0.0.1", 0});
    ASSERT_TRUE(listening.ok()) << listening.status();
    port_ = *std::move(listening);
    address_ = {"127.0.0.1", port_->port()};
  }
  void serve() {
    port_->serve([this](int s) { arrived(s, &http2_); },
                 [this](int s, absl::string_view first) {
                   {
                     std::lock_guard lock(mu_);
                     first_message_ = std::string(first);
                   }
                   arrived(s, &others_);
                 });
  }
  /// By TCP, as gRPC's clients and nodes of other machines come: words may come in pieces.
  Socket connect(const std::string& text) {
    const auto to = resolve(address_);
    EXPECT_TRUE(to.ok()) << to.status();
    Socket out(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(::connect(out.get(), (*to)->ai_addr, (*to)->ai_addrlen), 0);
    EXPECT_EQ(::send(out.get(), text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
    return out;
  }
  /// What the first of them who came can read; "" when nobody comes within ten seconds.
  std::string first_words(std::vector<Socket>* who, size_t size) {
    std::unique_lock lock(mu_);
    if (!came_.wait_for(lock, std::chrono::seconds(10), [&] { return !who->empty(); })) return "";
    std::string text(size, '\0');
    size_t n = 0;
    while (n < size && readable(who->front())) {
      const ssize_t more = ::recv(who->front().get(), text.data() + n, size - n, 0);
      if (more <= 0) break;
      n += static_cast<size_t>(more);
    }
    return text.substr(0, n);
  }
  static bool readable(const Socket& socket) {
    pollfd wait{socket.get(), POLLIN, 0};
    return ::poll(&wait, 1, 10'000) == 1;
  }
  /// Whether the other end closes it within ten seconds.
  static bool is_closed(const Socket& socket) {
    char byte = 0;
    return readable(socket) && ::recv(socket.get(), &byte, 1, 0) <= 0;
  }

  std::unique_ptr<SharedPort> port_;
  TaskAddress address_;
  std::mutex mu_;
  std::condition_variable came_;
  std::vector<Socket> http2_;
  std::vector<Socket> others_;
  std::string first_message_;

 private:
  void arrived(int socket, std::vector<Socket>* list) {
    std::lock_guard lock(mu_);
    list->emplace_back(socket);
    came_.notify_all();
  }
};

TEST_F(SharedPortTest, tells_clients_of_grpc_from_others_and_reads_nothing) {
  serve();
  const Socket grpc = connect(kPreface);
  const Socket node = connect("hello");
  EXPECT_EQ(first_words(&http2_, sizeof(kPreface) - 1), kPreface);
  EXPECT_EQ(first_words(&others_, 5), "hello");
  EXPECT_EQ(http2_.size(), 1u);
  EXPECT_EQ(others_.size(), 1u);
}

TEST_F(SharedPortTest, waits_for_the_bytes_that_tell) {
  serve();
  const Socket grpc = connect("PR");
  const Socket node = connect("PRO?");
  EXPECT_EQ(first_words(&others_, 4), "PRO?");
  {
    std::lock_guard lock(mu_);
    EXPECT_TRUE(http2_.empty());
  }
  ASSERT_EQ(::send(grpc.get(), "I *", 3, MSG_NOSIGNAL), 3);
  EXPECT_EQ(first_words(&http2_, 5), "PRI *");
}

TEST_F(SharedPortTest, takes_who_comes_by_this_machines_own_way) {
  serve();
  const auto near = dial(address_, std::chrono::seconds(10));
  ASSERT_TRUE(near.ok()) << near.status();
  ASSERT_EQ(::send(near->get(), "a node", 6, MSG_NOSIGNAL), 6);
  EXPECT_EQ(first_words(&others_, 6), "a node");
}

TEST_F(SharedPortTest, shows_the_first_message_of_a_peer_when_it_is_whole) {
  serve();
  const absl::Cord body =
      pack_hello({TaskId{"worker", 1}, 5}, "here:1", {"worker=here:1,there:2", "/job:worker/task:1"});
  std::string frame(kMessageHeaderBytes, '\0');
  const auto size = static_cast<uint32_t>(body.size());
  std::memcpy(frame.data(), &size, sizeof(size));
  frame[4] = static_cast<char>(MessageKind::kHello);
  frame += std::string(body);
  const Socket peer = connect(frame.substr(0, 30));
  {
    // Another is not held up by him.
    const Socket other = connect("hello");
    EXPECT_EQ(first_words(&others_, 5), "hello");
    others_.clear();
  }
  const std::string rest = frame.substr(30) + "and more";
  ASSERT_EQ(::send(peer.get(), rest.data(), rest.size(), MSG_NOSIGNAL), static_cast<ssize_t>(rest.size()));
  EXPECT_EQ(first_words(&others_, frame.size()), frame) << "nothing was taken";
  EXPECT_EQ(first_message_, frame);
  const Invitation invitation = peek_invitation(first_message_);
  EXPECT_EQ(invitation.cluster, "worker=here:1,there:2");
  EXPECT_EQ(invitation.task, "/job:worker/task:1");
  for (const std::string& none : {std::string(), frame.substr(0, 20), std::string("PRI * HTTP/2.0")})
    EXPECT_EQ(peek_invitation(none).cluster, "");
}

TEST_F(SharedPortTest, hands_on_who_came_before_it_served) {
  const Socket node = connect("early");
  serve();
  EXPECT_EQ(first_words(&others_, 5), "early");
}

TEST_F(SharedPortTest, closes_who_leaves_without_a_word) {
  serve();
  const Socket gone = connect("PR");
  ::shutdown(gone.get(), SHUT_WR);
  EXPECT_TRUE(is_closed(gone));
  EXPECT_TRUE(http2_.empty() && others_.empty());
}

TEST_F(SharedPortTest, closes_the_first_of_too_many_who_say_nothing) {
  serve();
  std::vector<Socket> silent;
  for (int i = 0; i < 257; ++i) silent.push_back(connect(""));
  EXPECT_TRUE(is_closed(silent[0]));
  const Socket node = connect("hello");
  EXPECT_EQ(first_words(&others_, 5), "hello");
}

TEST_F(SharedPortTest, closes_who_says_nothing_for_long) {
  serve();
  const Socket silent = connect("");
  EXPECT_TRUE(is_closed(silent)) << "after five seconds";
}

TEST_F(SharedPortTest, is_free_when_it_ends) {
  serve();
  const Socket silent = connect("");
  port_ = nullptr;
  EXPECT_TRUE(is_closed(silent));
  EXPECT_TRUE(SharedPort::listen(address_).ok());
}

TEST_F(SharedPortTest, is_nobody_elses) {
  const auto other = SharedPort::listen(address_);
  EXPECT_TRUE(absl::IsUnavailable(other.status()));
  EXPECT_THAT(std::string(other.status().message()), HasSubstr(address_.to_string()));
  EXPECT_FALSE(SharedPort::listen({"no.such.host.invalid", 0}).ok());
}

TEST(SharedPort, listens_at_all_addresses_of_a_name) {
  auto port = SharedPort::listen({"localhost", 0});
  ASSERT_TRUE(port.ok()) << port.status();
  EXPECT_TRUE(dial({"127.0.0.1", (*port)->port()}, std::chrono::seconds(10)).ok());
}

}  // namespace
}  // namespace troupe::test
