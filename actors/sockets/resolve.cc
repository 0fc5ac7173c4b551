#include "actors/sockets/resolve.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace troupe {

absl::StatusOr<Addresses> resolve(const TaskAddress& address) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int error = ::getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &found);
  if (error == EAI_SYSTEM) return absl::UnavailableError(std::strerror(errno));
  if (error != 0) return absl::UnavailableError(::gai_strerror(error));
  return Addresses(found, &::freeaddrinfo);
}

}  // namespace troupe
