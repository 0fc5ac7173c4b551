#include "actors/console/http_server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "actors/sockets/socket.h"
#include "graph/status.h"
#include "graph/thrown.h"

namespace troupe {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kBacklog = 128;

/// Of a request that was not read.
std::string what_is_wrong(int code) {
  switch (code) {
    case 431: return absl::StrCat("the head of a request has at most ", kMaxHttpHeadBytes, " bytes");
    case 505: return "only HTTP/1.0 and HTTP/1.1 are understood";
    default: return "this is no HTTP request";
  }
}

struct Address {
  sockaddr_storage storage{};
  socklen_t size = 0;
  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
};

absl::StatusOr<Address> address_of(const std::string& host, int port) {
  if (port < 0 || port > 65535)
    return absl::InvalidArgumentError(absl::StrCat("console: ", port, " is no port"));
  Address a;
  auto* v4 = reinterpret_cast<sockaddr_in*>(&a.storage);
  auto* v6 = reinterpret_cast<sockaddr_in6*>(&a.storage);
  const std::string text = host == "localhost" ? "127.0.0.1" : host;
  if (::inet_pton(AF_INET, text.c_str(), &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
    v4->sin_port = htons(static_cast<uint16_t>(port));
    a.size = sizeof(*v4);
  } else if (::inet_pton(AF_INET6, text.c_str(), &v6->sin6_addr) == 1) {
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(static_cast<uint16_t>(port));
    a.size = sizeof(*v6);
  } else {
    return absl::InvalidArgumentError(
        absl::StrCat("console: host '", host, "' is neither an address nor localhost"));
  }
  return a;
}

absl::StatusOr<Socket> listen_on(const std::string& host, int port) {
  TROUPE_ASSIGN_OR_RETURN(Address address, address_of(host, port));
  const auto failed = [&](const char* what) {
    return absl::ErrnoToStatus(errno, absl::StrCat("console: cannot ", what, " ", host, ":", port));
  };
  Socket socket(::socket(address.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (socket.get() < 0) return failed("make a socket for");
  socket.set(SOL_SOCKET, SO_REUSEADDR, 1);
  if (::bind(socket.get(), address.get(), address.size) != 0) return failed("bind");
  if (::listen(socket.get(), kBacklog) != 0) return failed("listen on");
  return socket;
}

int port_of(int fd) {
  Address a;
  a.size = sizeof(a.storage);
  if (::getsockname(fd, a.get(), &a.size) != 0) return 0;
  if (a.storage.ss_family == AF_INET6) return ntohs(reinterpret_cast<sockaddr_in6*>(&a.storage)->sin6_port);
  return ntohs(reinterpret_cast<sockaddr_in*>(&a.storage)->sin_port);
}

struct Connection {
  enum class State { kReading, kWaiting, kWriting, kClosing };
  Socket socket;
  State state = State::kReading;
  Clock::time_point deadline;
  bool head_only = false;
  /// What came, then what goes.
  std::string bytes;
  size_t sent = 0;
};

}  // namespace

/// Replies on their way to the loop, from any thread.
struct HttpServer::Outbox {
  std::mutex mu;
  // Guarded by mu.
  std::vector<std::pair<uint64_t, MakeReply>> replies;
  bool stopping = false;
  /// Wakes the loop.
  Socket event;

  void wake() const {
    const uint64_t one = 1;
    (void)!::write(event.get(), &one, sizeof(one));
  }
  void put(uint64_t connection, MakeReply reply) {
    {
      std::lock_guard lock(mu);
      if (stopping) return;
      replies.emplace_back(connection, std::move(reply));
    }
    wake();
  }
  void stop() {
    {
      std::lock_guard lock(mu);
      stopping = true;
    }
    wake();
  }
};

/// What the thread runs.
class HttpServer::Loop {
 public:
  Loop(Socket listener, std::shared_ptr<Outbox> outbox, Handler handler, const Patience& patience)
      : listener_(std::move(listener)), outbox_(std::move(outbox)), handler_(std::move(handler)),
        patience_(patience) {}

  void run() {
    while (take_replies()) {
      std::vector<pollfd> polled = sockets();
      const bool idle = connections_.empty() && !out_of_files_;
      if (::poll(polled.data(), polled.size(), idle ? -1 : kTickMs) < 0 && errno != EINTR) return;
      out_of_files_ = false;
      drain_event(polled[0]);
      // Connections by the order in which sockets() listed them.
      size_t at = 2;
      for (auto it = connections_.begin(); at < polled.size(); ++at) {
        auto current = it++;
        if (!serve(current->first, current->second, polled[at].revents)) connections_.erase(current);
      }
      if (polled[1].revents != 0) accept_all();
    }
  }

 private:
  using State = Connection::State;
  /// How late a deadline may be.
  static constexpr int kTickMs = 250;

  std::vector<pollfd> sockets() const {
    const short listens = out_of_files_ ? 0 : POLLIN;
    std::vector<pollfd> out{{outbox_->event.get(), POLLIN, 0}, {listener_.get(), listens, 0}};
    for (const auto& [id, c] : connections_) {
      const bool writes = c.state == State::kWriting;
      // One that waits for its answer is only looked at for having hung up.
      const bool waits = c.state == State::kWaiting;
      out.push_back({c.socket.get(), static_cast<short>(writes ? POLLOUT : waits ? 0 : POLLIN), 0});
    }
    return out;
  }

  void drain_event(const pollfd& polled) const {
    uint64_t count = 0;
    if (polled.revents != 0) (void)!::read(outbox_->event.get(), &count, sizeof(count));
  }

  /// False when the server is to stop.
  bool take_replies() {
    std::vector<std::pair<uint64_t, MakeReply>> replies;
    {
      std::lock_guard lock(outbox_->mu);
      if (outbox_->stopping) return false;
      replies.swap(outbox_->replies);
    }
    for (const auto& [id, reply] : replies) {
      const auto found = connections_.find(id);
      if (found != connections_.end() && found->second.state == State::kWaiting)
        begin_writing(found->second, made(reply));
    }
    return true;
  }

  static HttpReply made(const MakeReply& make) {
    HttpReply reply;
    const absl::Status status = guarded("the console", [&] {
      reply = make();
      return absl::OkStatus();
    });
    return status.ok() ? reply : http_error(503, status.message());
  }

  void accept_all() {
    while (true) {
      Socket socket(::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
      if (socket.get() < 0) {
        // Who knocks would be heard again and again; some files may be closed in a moment.
        out_of_files_ = errno == EMFILE || errno == ENFILE;
        return;
      }
      if (connections_.size() >= kMaxConnections) {
        // As much as its buffer takes, and no waiting for it.
        const std::string text = http_text(http_error(503, "too many connections"), false);
        (void)!::send(socket.get(), text.data(), text.size(), MSG_NOSIGNAL);
        continue;
      }
      Connection& c = connections_[next_id_++];
      c.socket = std::move(socket);
      c.deadline = Clock::now() + patience_.request;
    }
  }

  /// Goes on with a connection; false when it is over.
  bool serve(uint64_t id, Connection& c, short events) {
    if (Clock::now() >= c.deadline && !expire(c)) return false;
    if ((events & (POLLERR | POLLNVAL)) != 0) return false;
    switch (c.state) {
      case State::kReading: return events == 0 || read_more(id, c);
      case State::kWaiting: return (events & POLLHUP) == 0;
      case State::kWriting: return write_more(c);
      case State::kClosing: return events == 0 || discard(c);
    }
    return false;
  }

  /// Who is late gets an error when he may still hear it; else false.
  bool expire(Connection& c) const {
    if (c.state == State::kReading && !c.bytes.empty())
      return begin_writing(c, http_error(408, "the request did not come to its end"));
    if (c.state == State::kWaiting)
      return begin_writing(c, http_error(504, "the runtime did not answer in time"));
    return false;
  }

  bool read_more(uint64_t id, Connection& c) {
    char buffer[4096];
    const ssize_t n = ::recv(c.socket.get(), buffer, sizeof(buffer), 0);
    if (n < 0) return errno == EAGAIN || errno == EINTR;
    if (n == 0) return false;
    c.bytes.append(buffer, static_cast<size_t>(n));
    HttpRequest request;
    const int code = read_http_request(c.bytes, &request);
    if (code == 0) return true;
    if (code != 200) return begin_writing(c, http_error(code, what_is_wrong(code)));
    if (request.method != "GET" && request.method != "HEAD")
      return begin_writing(c, http_error(405, "only GET and HEAD are understood"));
    c.head_only = request.method == "HEAD";
    c.state = State::kWaiting;
    c.deadline = Clock::now() + patience_.handler;
    c.bytes.clear();
    const absl::Status handled = guarded("the console", [&] {
      handler_(request, [outbox = outbox_, id](MakeReply reply) { outbox->put(id, std::move(reply)); });
      return absl::OkStatus();
    });
    if (!handled.ok()) outbox_->put(id, [handled] { return http_error(503, handled.message()); });
    return true;
  }

  bool begin_writing(Connection& c, const HttpReply& reply) const {
    c.state = State::kWriting;
    c.bytes = http_text(reply, c.head_only);
    c.sent = 0;
    c.deadline = Clock::now() + patience_.read;
    return true;
  }

  bool write_more(Connection& c) const {
    const ssize_t n = ::send(c.socket.get(), c.bytes.data() + c.sent, c.bytes.size() - c.sent, MSG_NOSIGNAL);
    if (n < 0) return errno == EAGAIN || errno == EINTR;
    c.sent += static_cast<size_t>(n);
    if (c.sent < c.bytes.size()) return true;
    // Closed with bytes unread, a connection is reset, and the client may lose the answer.
    ::shutdown(c.socket.get(), SHUT_WR);
    c.state = State::kClosing;
    c.deadline = Clock::now() + patience_.close;
    return true;
  }

  static bool discard(Connection& c) {
    char buffer[4096];
    const ssize_t n = ::recv(c.socket.get(), buffer, sizeof(buffer), 0);
    return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
  }

  const Socket listener_;
  const std::shared_ptr<Outbox> outbox_;
  const Handler handler_;
  const Patience patience_;
  std::map<uint64_t, Connection> connections_;
  uint64_t next_id_ = 1;
  bool out_of_files_ = false;
};

absl::StatusOr<std::unique_ptr<HttpServer>> HttpServer::start(const std::string& host, int port,
                                                              Handler handler) {
  return start(host, port, std::move(handler), Patience());
}

absl::StatusOr<std::unique_ptr<HttpServer>> HttpServer::start(const std::string& host, int port,
                                                              Handler handler, const Patience& patience) {
  TROUPE_ASSIGN_OR_RETURN(Socket listener, listen_on(host, port));
  std::unique_ptr<HttpServer> server(new HttpServer);
  server->port_ = port_of(listener.get());
  server->outbox_ = std::make_shared<Outbox>();
  server->outbox_->event = Socket(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  if (server->outbox_->event.get() < 0) return absl::ErrnoToStatus(errno, "console: cannot make an eventfd");
  auto loop = std::make_unique<Loop>(std::move(listener), server->outbox_, std::move(handler), patience);
  TROUPE_RETURN_IF_ERROR(guarded("the console's thread", [&] {
    server->thread_ = std::thread([loop = std::move(loop)] {
      (void)guarded("the console", [&] {
        loop->run();
        return absl::OkStatus();
      });
    });
    return absl::OkStatus();
  }));
  return server;
}

HttpServer::~HttpServer() {
  if (!thread_.joinable()) return;
  outbox_->stop();
  thread_.join();
}

}  // namespace troupe
