#include "actors/node/dial.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "graph/status.h"

namespace troupe {
namespace {

using Addresses = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

absl::Status unreachable(const TaskAddress& address, absl::string_view why) {
  return absl::UnavailableError(absl::StrCat("cannot connect to ", address.to_string(), ": ", why));
}

absl::StatusOr<Addresses> resolve(const TaskAddress& address) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int error = ::getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &found);
  if (error != 0) return unreachable(address, ::gai_strerror(error));
  return Addresses(found, &::freeaddrinfo);
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

absl::StatusOr<int> dial(const TaskAddress& address, std::chrono::milliseconds patience) {
  TROUPE_ASSIGN_OR_RETURN(const Addresses addresses, resolve(address));
  int error = EHOSTUNREACH;
  for (const addrinfo* a = addresses.get(); a != nullptr; a = a->ai_next) {
    const int fd = ::socket(a->ai_family, a->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, a->ai_protocol);
    if (fd < 0) {
      error = errno;
      continue;
    }
    error = connect_to(fd, *a, patience);
    const int on = 1;
    if (error == 0) (void)::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    if (error == 0) return fd;
    ::close(fd);
  }
  return unreachable(address, std::strerror(error));
}

}  // namespace troupe
