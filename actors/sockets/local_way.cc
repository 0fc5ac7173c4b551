#include "actors/sockets/local_way.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"

namespace troupe {
namespace {

/// Of what is sent and not read yet: the kernel's own choice makes the writer wait more often.
constexpr int kBufferBytes = 1 << 20;

/// The name beside an address; nothing for one of another kind.
std::optional<std::string> name_beside(const sockaddr* address) {
  char text[INET6_ADDRSTRLEN] = {};
  if (address->sa_family == AF_INET) {
    const auto* v4 = reinterpret_cast<const sockaddr_in*>(address);
    if (::inet_ntop(AF_INET, &v4->sin_addr, text, sizeof(text)) == nullptr) return std::nullopt;
    return absl::StrCat("troupe/", text, ":", ntohs(v4->sin_port));
  }
  if (address->sa_family != AF_INET6) return std::nullopt;
  const auto* v6 = reinterpret_cast<const sockaddr_in6*>(address);
  if (::inet_ntop(AF_INET6, &v6->sin6_addr, text, sizeof(text)) == nullptr) return std::nullopt;
  return absl::StrCat("troupe/[", text, "]:", ntohs(v6->sin6_port));
}

/// Abstract: the first byte is zero, and the length says where it ends.
socklen_t fill(const std::string& name, sockaddr_un* out) {
  *out = {};
  out->sun_family = AF_UNIX;
  const size_t size = std::min(name.size(), sizeof(out->sun_path) - 1);
  std::memcpy(out->sun_path + 1, name.data(), size);
  return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + size);
}

bool is_ours(int socket) {
  ucred peer{};
  socklen_t size = sizeof(peer);
  return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == ::geteuid();
}

void enlarge(const Socket& socket) { socket.set(SOL_SOCKET, SO_SNDBUF, kBufferBytes); }

}  // namespace

Socket local_socket() { return Socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)); }

bool listen_beside(const Socket& local, const Socket& listening) {
  sockaddr_storage at{};
  socklen_t at_size = sizeof(at);
  if (::getsockname(listening.get(), reinterpret_cast<sockaddr*>(&at), &at_size) != 0) return false;
  const auto name = name_beside(reinterpret_cast<const sockaddr*>(&at));
  if (!name) return false;
  sockaddr_un beside;
  const socklen_t size = fill(*name, &beside);
  // Who is accepted has it, too.
  enlarge(local);
  return ::bind(local.get(), reinterpret_cast<const sockaddr*>(&beside), size) == 0 &&
         ::listen(local.get(), SOMAXCONN) == 0;
}

Socket dial_beside(const sockaddr* address) {
  const auto name = name_beside(address);
  if (!name) return Socket();
  Socket socket = local_socket();
  sockaddr_un beside;
  const socklen_t size = fill(*name, &beside);
  if (socket.get() < 0 || ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&beside), size) != 0 ||
      !is_ours(socket.get()))
    return Socket();
  enlarge(socket);
  return socket;
}

}  // namespace troupe
