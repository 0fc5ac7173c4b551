#include "actors/sockets/dial.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "actors/sockets/local_way.h"
#include "actors/sockets/resolve.h"

namespace troupe {
namespace {

absl::Status unreachable(const TaskAddress& address, absl::string_view why) {
  return absl::UnavailableError(absl::StrCat("cannot connect to ", address.to_string(), ": ", why));
}

/// 0, or errno.
int connect_to(int socket, const addrinfo& to, std::chrono::milliseconds patience) {
  if (::connect(socket, to.ai_addr, to.ai_addrlen) == 0) return 0;
  if (errno != EINPROGRESS) return errno;
  pollfd wait{socket, POLLOUT, 0};
  const int ready = ::poll(&wait, 1, static_cast<int>(patience.count()));
  if (ready == 0) return ETIMEDOUT;
  if (ready < 0) return errno;
  int error = 0;
  socklen_t size = sizeof(error);
  if (::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size) != 0) return errno;
  return error;
}

}  // namespace

absl::StatusOr<Socket> dial(const TaskAddress& address, std::chrono::milliseconds patience) {
  const auto addresses = resolve(address);
  if (!addresses.ok()) return unreachable(address, addresses.status().message());
  int error = EHOSTUNREACH;
  for (const addrinfo* a = addresses->get(); a != nullptr; a = a->ai_next) {
    if (Socket beside = dial_beside(a->ai_addr); beside.get() >= 0) return beside;
    Socket socket(::socket(a->ai_family, a->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, a->ai_protocol));
    error = socket.get() < 0 ? errno : connect_to(socket.get(), *a, patience);
    if (error != 0) continue;
    socket.set(IPPROTO_TCP, TCP_NODELAY, 1);
    return socket;
  }
  return unreachable(address, std::strerror(error));
}

}  // namespace troupe
