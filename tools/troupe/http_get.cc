#include "tools/troupe/http_get.h"

#include <netdb.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "graph/status.h"

namespace troupe {
namespace {

/// More than any page of a console.
constexpr size_t kMaxAnswerBytes = 64 << 20;

struct Server {
  std::string host;
  std::string port;
};

absl::StatusOr<Server> parse(absl::string_view text) {
  absl::string_view rest = absl::StripSuffix(absl::StripPrefix(text, "http://"), "/");
  const size_t colon = rest.rfind(':');
  Server s;
  s.port = std::string(colon == absl::string_view::npos ? rest : rest.substr(colon + 1));
  s.host = colon == absl::string_view::npos ? "" : std::string(rest.substr(0, colon));
  if (absl::StartsWith(s.host, "[") && absl::EndsWith(s.host, "]"))
    s.host = s.host.substr(1, s.host.size() - 2);
  if (s.host.empty()) s.host = "127.0.0.1";
  int number = 0;
  if (absl::SimpleAtoi(s.port, &number) && number > 0 && number < 65536) return s;
  return absl::InvalidArgumentError(absl::StrCat("'", text, "' is not HOST:PORT"));
}

absl::Status unavailable(const Server& s, absl::string_view why) {
  return absl::UnavailableError(absl::StrCat("no console answers at ", s.host, ":", s.port, ": ", why));
}

/// A socket that is connected; its calls wait no longer than `patience`.
absl::StatusOr<int> connect_to(const Server& s, std::chrono::milliseconds patience) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int e = ::getaddrinfo(s.host.c_str(), s.port.c_str(), &hints, &found); e != 0)
    return unavailable(s, ::gai_strerror(e));
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> addresses(found, ::freeaddrinfo);
  timeval wait{};
  wait.tv_sec = patience.count() / 1000;
  wait.tv_usec = patience.count() % 1000 * 1000;
  int last = 0;
  for (const addrinfo* a = found; a != nullptr; a = a->ai_next) {
    const int fd = ::socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC, a->ai_protocol);
    if (fd < 0) continue;
    ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
    ::setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait));
    if (::connect(fd, a->ai_addr, a->ai_addrlen) == 0) return fd;
    last = errno;
    ::close(fd);
  }
  return unavailable(s, std::strerror(last));
}

absl::StatusOr<std::string> exchange(const Server& s, int fd, const std::string& request) {
  for (size_t sent = 0; sent < request.size();) {
    const ssize_t n = ::send(fd, request.data() + sent, request.size() - sent, MSG_NOSIGNAL);
    if (n <= 0) return unavailable(s, std::strerror(errno));
    sent += static_cast<size_t>(n);
  }
  std::string answer;
  char buffer[16384];
  while (answer.size() < kMaxAnswerBytes) {
    const ssize_t n = ::recv(fd, buffer, sizeof(buffer), 0);
    if (n < 0) return unavailable(s, std::strerror(errno));
    if (n == 0) return answer;
    answer.append(buffer, static_cast<size_t>(n));
  }
  return unavailable(s, "its answer has no end");
}

}  // namespace

absl::StatusOr<std::string> http_get(const std::string& server, const std::string& path,
                                     std::chrono::milliseconds patience) {
  TROUPE_ASSIGN_OR_RETURN(const Server s, parse(server));
  TROUPE_ASSIGN_OR_RETURN(const int fd, connect_to(s, patience));
  const auto close = absl::MakeCleanup([fd] { ::close(fd); });
  TROUPE_ASSIGN_OR_RETURN(const std::string answer,
                          exchange(s, fd,
                                   absl::StrCat("GET ", path, " HTTP/1.1\r\nHost: ", s.host, ":", s.port,
                                                "\r\nConnection: close\r\n\r\n")));
  const size_t head = answer.find("\r\n\r\n");
  if (!absl::StartsWith(answer, "HTTP/1.") || head == std::string::npos)
    return unavailable(s, "what answers speaks no HTTP");
  const std::string line = answer.substr(0, answer.find("\r\n"));
  if (!absl::StrContains(line, " 200")) return unavailable(s, line);
  return answer.substr(head + 4);
}

}  // namespace troupe
