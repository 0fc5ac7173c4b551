#include <arpa/inet.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <utility>

#include "actors/sockets/dial.h"
#include "actors/sockets/listen.h"
#include "actors/sockets/local_way.h"
#include "actors/sockets/resolve.h"
#include "actors/sockets/socket.h"

namespace troupe::test {
namespace {

using testing::StartsWith;

bool is_open(int descriptor) { return ::fcntl(descriptor, F_GETFD) != -1 || errno != EBADF; }

Socket stream() { return Socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)); }

/// Somebody who listens on the loopback.
class Listener {
 public:
  Listener() : socket_(stream()) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(at);
    EXPECT_EQ(::bind(socket_.get(), reinterpret_cast<sockaddr*>(&at), size), 0);
    EXPECT_EQ(::listen(socket_.get(), 1), 0);
    EXPECT_EQ(::getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&at), &size), 0);
    address_ = {"127.0.0.1", ntohs(at.sin_port)};
  }
  const TaskAddress& address() const { return address_; }
  const Socket& socket() const { return socket_; }

 private:
  Socket socket_;
  TaskAddress address_;
};

TEST(Socket, closes_what_it_has) {
  int descriptor = -1;
  {
    const Socket socket = stream();
    descriptor = socket.get();
    EXPECT_TRUE(is_open(descriptor));
  }
  EXPECT_FALSE(is_open(descriptor));
}

TEST(Socket, hands_on_what_it_has) {
  Socket first = stream();
  const int descriptor = first.get();
  Socket second(std::move(first));
  EXPECT_EQ(second.get(), descriptor);
  Socket third = stream();
  const int replaced = third.get();
  {
    third = std::move(second);
    Socket gone = std::move(second);
  }
  EXPECT_EQ(third.get(), descriptor);
  EXPECT_FALSE(is_open(replaced));
  EXPECT_EQ(third.release(), descriptor);
  EXPECT_EQ(third.get(), -1);
  EXPECT_TRUE(is_open(descriptor));
  ::close(descriptor);
}

TEST(Resolve, takes_addresses_of_both_kinds) {
  const auto four = resolve({"127.0.0.1", 2222});
  ASSERT_TRUE(four.ok()) << four.status();
  ASSERT_EQ((*four)->ai_family, AF_INET);
  EXPECT_EQ((*four)->ai_socktype, SOCK_STREAM);
  const auto* v4 = reinterpret_cast<const sockaddr_in*>((*four)->ai_addr);
  EXPECT_EQ(ntohs(v4->sin_port), 2222);
  EXPECT_EQ(ntohl(v4->sin_addr.s_addr), INADDR_LOOPBACK);
  EXPECT_EQ((*four)->ai_next, nullptr);
  const auto six = resolve({"::1", 0});
  ASSERT_TRUE(six.ok()) << six.status();
  EXPECT_EQ((*six)->ai_family, AF_INET6);
}

TEST(Resolve, looks_names_up) {
  EXPECT_TRUE(resolve({"localhost", 1}).ok());
  const absl::Status unknown = resolve({"no.such.host.invalid", 1}).status();
  EXPECT_TRUE(absl::IsUnavailable(unknown)) << unknown;
  EXPECT_FALSE(unknown.message().empty());
}

TEST(Dial, connects_without_delay_and_without_blocking) {
  const Listener listener;
  const auto socket = dial(listener.address(), std::chrono::seconds(10));
  ASSERT_TRUE(socket.ok()) << socket.status();
  EXPECT_NE(::fcntl(socket->get(), F_GETFL) & O_NONBLOCK, 0);
  EXPECT_NE(::fcntl(socket->get(), F_GETFD) & FD_CLOEXEC, 0);
  int no_delay = 0;
  socklen_t size = sizeof(no_delay);
  ASSERT_EQ(::getsockopt(socket->get(), IPPROTO_TCP, TCP_NODELAY, &no_delay, &size), 0);
  EXPECT_NE(no_delay, 0);
}

TEST(Dial, says_whom_it_cannot_reach_and_why) {
  TaskAddress nobody;
  {
    const Listener gone;
    nobody = gone.address();
  }
  const absl::Status refused = dial(nobody, std::chrono::seconds(10)).status();
  EXPECT_TRUE(absl::IsUnavailable(refused)) << refused;
  EXPECT_EQ(refused.message(), "cannot connect to " + nobody.to_string() + ": Connection refused");
  const absl::Status unknown = dial({"no.such.host.invalid", 1}, std::chrono::seconds(10)).status();
  EXPECT_TRUE(absl::IsUnavailable(unknown)) << unknown;
  EXPECT_THAT(std::string(unknown.message()), StartsWith("cannot connect to no.such.host.invalid:1: "));
}

int family_of(const Socket& socket) {
  int family = -1;
  socklen_t size = sizeof(family);
  EXPECT_EQ(::getsockopt(socket.get(), SOL_SOCKET, SO_DOMAIN, &family, &size), 0);
  return family;
}

/// Somebody who listens as nodes do.
Listening listens() {
  auto where = listen_on({"127.0.0.1", 0});
  EXPECT_TRUE(where.ok()) << where.status();
  return *std::move(where);
}

TEST(LocalWay, is_taken_between_programs_of_one_machine) {
  const Listening where = listens();
  ASSERT_EQ(where.sockets.size(), 2u);
  // What is closed first stands first.
  EXPECT_EQ(family_of(where.sockets[0]), AF_UNIX);
  EXPECT_EQ(family_of(where.sockets[1]), AF_INET);
  const auto caller = dial({"127.0.0.1", where.port}, std::chrono::seconds(10));
  ASSERT_TRUE(caller.ok()) << caller.status();
  EXPECT_EQ(family_of(*caller), AF_UNIX);
  EXPECT_NE(::fcntl(caller->get(), F_GETFL) & O_NONBLOCK, 0);
  EXPECT_NE(::fcntl(caller->get(), F_GETFD) & FD_CLOEXEC, 0);
  const Socket called(::accept(where.sockets[0].get(), nullptr, nullptr));
  ASSERT_EQ(::send(caller->get(), "word", 4, MSG_NOSIGNAL), 4);
  char word[4] = {};
  ASSERT_EQ(::recv(called.get(), word, 4, MSG_WAITALL), 4);
  EXPECT_EQ(std::string(word, 4), "word");
}

TEST(LocalWay, leaves_tcp_to_who_calls_by_another_name_or_finds_nobody) {
  Listening where = listens();
  // The name is of the address that was listened on.
  const auto elsewhere = dial({"127.0.0.2", where.port}, std::chrono::seconds(10));
  EXPECT_FALSE(elsewhere.ok());
  where.sockets.erase(where.sockets.begin());
  const auto caller = dial({"127.0.0.1", where.port}, std::chrono::seconds(10));
  ASSERT_TRUE(caller.ok()) << caller.status();
  EXPECT_EQ(family_of(*caller), AF_INET);
}

TEST(LocalWay, a_name_that_somebody_has_is_not_taken_and_the_port_serves) {
  const Listener listener;
  const Socket before = local_socket();
  ASSERT_TRUE(listen_beside(before, listener.socket()));
  EXPECT_FALSE(listen_beside(local_socket(), listener.socket()));
  const auto caller = dial(listener.address(), std::chrono::seconds(10));
  ASSERT_TRUE(caller.ok()) << caller.status();
  EXPECT_EQ(family_of(*caller), AF_UNIX);
}

TEST(LocalWay, is_not_taken_to_another_user) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can be another user";
  const Listening where = listens();
  constexpr uid_t kNobody = 65534;
  ASSERT_EQ(::seteuid(kNobody), 0);
  const auto caller = dial({"127.0.0.1", where.port}, std::chrono::seconds(10));
  ASSERT_EQ(::seteuid(0), 0);
  ASSERT_TRUE(caller.ok()) << caller.status();
  EXPECT_EQ(family_of(*caller), AF_INET);
}

TEST(Listen, takes_one_port_on_all_addresses_and_says_why_it_cannot) {
  const auto named = listen_on({"localhost", 0});
  ASSERT_TRUE(named.ok()) << named.status();
  EXPECT_NE(named->port, 0);
  const absl::Status taken = listen_on({"localhost", named->port}).status();
  EXPECT_EQ(taken.message(),
            "cannot listen on localhost:" + std::to_string(named->port) + ": Address already in use");
}

}  // namespace
}  // namespace troupe::test
