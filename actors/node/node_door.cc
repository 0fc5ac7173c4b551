#include "actors/node/node_door.h"

#include <spdlog/spdlog.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "actors/sockets/listen.h"
#include "graph/status.h"

namespace troupe {
namespace {

/// At once: others wait, too.
constexpr size_t kAtOnce = 64;

}  // namespace

absl::StatusOr<uint16_t> NodeDoor::open(caf::io::broker* broker, const TaskAddress& address) {
  TROUPE_ASSIGN_OR_RETURN(Listening where, listen_on(address));
  for (Socket& s : where.sockets) {
    const auto socket = std::make_shared<const Socket>(std::move(s));
    places_.push_back(
        {socket, SocketEvents::watch(broker, socket->get(), socket, kFirstId + places_.size())});
  }
  return where.port;
}

std::vector<Socket> NodeDoor::take_in(uint64_t id) {
  std::vector<Socket> come;
  const Place& place = places_[id - kFirstId];
  while (come.size() < kAtOnce) {
    Socket next(::accept4(place.socket->get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (next.get() >= 0) {
      come.push_back(std::move(next));
      continue;
    }
    if (errno == EINTR || errno == ECONNABORTED) continue;
    if (errno != EAGAIN && errno != EWOULDBLOCK) {
      if (!std::exchange(rests_, true))
        spdlog::warn("a node takes nobody in for now: {}", std::strerror(errno));
      place.events->want_read(false);
    }
    break;
  }
  return come;
}

void NodeDoor::go_on() {
  if (!std::exchange(rests_, false)) return;
  for (const Place& p : places_) p.events->want_read(true);
}

}  // namespace troupe
