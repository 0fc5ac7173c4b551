#include "tests/actors/node/stranger.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <utility>

#include "actors/node/hello.h"
#include "actors/sockets/dial.h"

namespace troupe::test {

Stranger::Stranger(const ClusterNode& node) {
  auto socket = dial({"127.0.0.1", node.port()}, std::chrono::seconds(5));
  EXPECT_TRUE(socket.ok()) << socket.status();
  if (socket.ok()) socket_ = *std::move(socket);
  connection_.trust();
}

bool Stranger::say(const std::string& bytes) {
  // What is said here fits into the socket's buffer.
  return ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
         static_cast<ssize_t>(bytes.size());
}

bool Stranger::say_hello(const PeerId& me) {
  return say({MessageKind::kHello, Method::kNone, 0, pack_hello(me, "here")});
}

std::string Stranger::bytes_of(const NodeMessage& message) {
  connection_.send(message);
  absl::Cord wire;
  connection_.fill(&wire);
  return std::string(wire);
}

bool Stranger::listen(bool* ended) {
  pollfd wait{socket_.get(), POLLIN, 0};
  if (::poll(&wait, 1, 10'000) != 1) return false;
  char block[4096];
  const ssize_t n = ::recv(socket_.get(), block, sizeof(block), 0);
  *ended = n <= 0;
  if (n > 0) (void)connection_.feed({block, static_cast<size_t>(n)}, &heard);
  return n > 0;
}

bool Stranger::is_answered() {
  bool ended = false;
  while (heard.empty() && listen(&ended)) continue;
  return !heard.empty();
}

absl::StatusOr<absl::Cord> Stranger::answer_to(uint64_t id) {
  bool ended = false;
  for (size_t seen = 0;; ++seen) {
    while (seen == heard.size()) {
      if (!listen(&ended)) return absl::UnknownError("no answer");
    }
    const NodeMessage& m = heard[seen];
    if (m.kind != MessageKind::kReply || m.id != id) continue;
    const auto answer = unpack_answer(m.body);
    return answer.ok() ? *answer : answer.status();
  }
}

bool Stranger::is_turned_away() {
  bool ended = false;
  while (listen(&ended)) continue;
  return ended;
}

}  // namespace troupe::test
