#include "actors/sockets/listen.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "actors/sockets/local_way.h"
#include "actors/sockets/resolve.h"

namespace troupe {
namespace {

constexpr int kTries = 8;

uint16_t port_of(int socket) {
  sockaddr_storage at{};
  socklen_t size = sizeof(at);
  (void)::getsockname(socket, reinterpret_cast<sockaddr*>(&at), &size);
  return ntohs(at.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6*>(&at)->sin6_port
                                        : reinterpret_cast<sockaddr_in*>(&at)->sin_port);
}

void set_port(sockaddr* at, uint16_t port) {
  if (at->sa_family == AF_INET6)
    reinterpret_cast<sockaddr_in6*>(at)->sin6_port = htons(port);
  else
    reinterpret_cast<sockaddr_in*>(at)->sin_port = htons(port);
}

/// 0, or errno.
int listen_at(const addrinfo& at, Listening* out) {
  Socket local = local_socket();
  Socket socket(::socket(at.ai_family, at.ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, at.ai_protocol));
  if (socket.get() < 0) return errno;
  socket.set(SOL_SOCKET, SO_REUSEADDR, 1);
  if (at.ai_family == AF_INET6) socket.set(IPPROTO_IPV6, IPV6_V6ONLY, 1);
  if (::bind(socket.get(), at.ai_addr, at.ai_addrlen) != 0 || ::listen(socket.get(), SOMAXCONN) != 0)
    return errno;
  if (out->port == 0) out->port = port_of(socket.get());
  if (local.get() >= 0 && listen_beside(local, socket)) out->sockets.push_back(std::move(local));
  out->sockets.push_back(std::move(socket));
  return 0;
}

/// On all of these at one port; 0, or errno. A machine without IPv6 has names with addresses of it all the same; but a port that somebody
/// has is nobody else's.
int listen_at_all(addrinfo* addresses, Listening* out) {
  int last = EADDRNOTAVAIL;
  for (addrinfo* a = addresses; a != nullptr; a = a->ai_next) {
    set_port(a->ai_addr, out->port);
    last = listen_at(*a, out);
    if (last == EADDRINUSE) return last;
  }
  return out->sockets.empty() ? last : 0;
}

}  // namespace

absl::StatusOr<Listening> listen_on(const TaskAddress& address) {
  const auto cannot = [&](absl::string_view why) {
    return absl::UnavailableError(absl::StrCat("cannot listen on ", address.to_string(), ": ", why));
  };
  const auto addresses = resolve(address);
  if (!addresses.ok()) return cannot(addresses.status().message());
  // A port that the system chose for one address may be somebody's on another.
  for (int tries = address.port == 0 ? kTries : 1;; --tries) {
    Listening out;
    out.port = address.port;
    const int failed = listen_at_all(addresses->get(), &out);
    if (failed == 0) return out;
    if (tries == 1 || failed != EADDRINUSE) return cannot(std::strerror(failed));
  }
}

}  // namespace troupe
