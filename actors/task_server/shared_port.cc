#include "actors/task_server/shared_port.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <spdlog/spdlog.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <deque>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "actors/node/message.h"
#include "actors/sockets/listen.h"
#include "actors/sockets/socket.h"
#include "actors/sockets/wake_signal.h"
#include "graph/status.h"

namespace troupe {
namespace {

/// How long who has connected may say nothing.
constexpr std::chrono::seconds kPatience{5};
/// Who have said nothing, at once.
constexpr size_t kMaxSilent = 256;
/// Without a descriptor left nobody can be accepted: a look again after this.
constexpr std::chrono::milliseconds kDescriptorPause{50};
/// How HTTP/2 begins. Frames of nodes begin with the size of a short message, and TLS with 0x16.
constexpr std::array<char, 4> kPreface{'P', 'R', 'I', ' '};

using Clock = std::chrono::steady_clock;

/// The longest first message that is looked at as a whole; a node takes none longer.
constexpr size_t kMaxFirstBytes = kMessageHeaderBytes + 4096;

/// The first bytes of a connection, which stay where they are. `bytes` are as many as are wanted, or all that will come.
struct Look {
  bool closed = false;
  std::string bytes;
};

Look look_at(int socket, size_t wanted) {
  Look look;
  look.bytes.resize(wanted);
  const ssize_t n = ::recv(socket, look.bytes.data(), wanted, MSG_PEEK);
  look.closed = n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR);
  look.bytes.resize(static_cast<size_t>(std::max<ssize_t>(0, n)));
  return look;
}

/// How long the frame is that begins so.
size_t frame_bytes(absl::string_view first) {
  uint32_t body = 0;
  std::memcpy(&body, first.data(), sizeof(body));
  const size_t frame = kMessageHeaderBytes + body;
  return frame <= kMaxFirstBytes ? frame : first.size();
}

}  // namespace

class SharedPort::Impl {
 public:
  explicit Impl(Listening where) : port_(where.port), listening_(std::move(where.sockets)) {}

  ~Impl() {
    if (!thread_.joinable()) return;
    wake_.give();
    thread_.join();
  }

  uint16_t port() const { return port_; }

  void serve(Taker http2, PeerTaker peers) {
    http2_ = std::move(http2);
    peers_ = std::move(peers);
    thread_ = std::thread([this] {
      while (turn()) {
      }
    });
  }

 private:
  struct Silent {
    Socket socket;
    Clock::time_point since;
    /// So many bytes tell what is to be known next.
    size_t wanted = kPreface.size();
  };

  /// Waits for somebody; false when the port is to end.
  bool turn() {
    std::vector<pollfd> wait{wake_.awaited()};
    for (const Socket& s : listening_) wait.push_back({s.get(), POLLIN, 0});
    for (const Silent& s : silent_) wait.push_back({s.socket.get(), POLLIN, 0});
    (void)::poll(wait.data(), wait.size(), wait_ms());
    if (wait[0].revents != 0) return false;
    // Backwards, as those who are handed on leave the list.
    const size_t first = 1 + listening_.size();
    for (size_t i = silent_.size(); i-- > 0;) {
      if (wait[first + i].revents != 0) hear(i);
    }
    const auto late = Clock::now() - kPatience;
    while (!silent_.empty() && silent_.front().since < late) silent_.pop_front();
    for (size_t i = 0; i < listening_.size(); ++i) {
      if (wait[1 + i].revents != 0) accept(listening_[i].get());
    }
    return true;
  }

  int wait_ms() const {
    if (silent_.empty()) return -1;
    const auto left = silent_.front().since + kPatience - Clock::now();
    return static_cast<int>(
               std::max<int64_t>(0, std::chrono::ceil<std::chrono::milliseconds>(left).count())) +
           1;
  }

  /// Hands on who has said enough, or closes him.
  void hear(size_t i) {
    Silent& who = silent_[i];
    Look look = look_at(who.socket.get(), who.wanted);
    if (!look.closed && look.bytes.empty()) return;
    // poll waits for all that is wanted: less is the last. On a Unix socket it does not; who speaks there says his first message at once.
    const bool last = look.closed || look.bytes.size() < who.wanted;
    const bool grpc = absl::StartsWith(look.bytes, absl::string_view(kPreface.data(), kPreface.size()));
    if (!last && !grpc && look.bytes.size() < frame_bytes(look.bytes))
      return want(&who, frame_bytes(look.bytes));
    Socket socket = std::move(who.socket);
    silent_.erase(silent_.begin() + static_cast<std::ptrdiff_t>(i));
    if (last) return;
    socket.set(SOL_SOCKET, SO_RCVLOWAT, 1);
    if (grpc)
      http2_(socket.release());
    else
      peers_(socket.release(), look.bytes);
  }

  static void want(Silent* who, size_t bytes) {
    who->wanted = bytes;
    who->socket.set(SOL_SOCKET, SO_RCVLOWAT, static_cast<int>(bytes));
  }

  void accept(int listening) {
    Socket socket(::accept4(listening, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (socket.get() < 0) {
      if (errno != EMFILE && errno != ENFILE) return;
      spdlog::warn("port {}: nobody can be accepted: {}", port_, std::strerror(errno));
      if (!silent_.empty()) silent_.pop_front();
      std::this_thread::sleep_for(kDescriptorPause);
      return;
    }
    socket.set(IPPROTO_TCP, TCP_NODELAY, 1);
    if (silent_.size() >= kMaxSilent) silent_.pop_front();
    silent_.push_back({std::move(socket), Clock::now()});
    want(&silent_.back(), kPreface.size());
  }

  const uint16_t port_;
  const std::vector<Socket> listening_;
  const WakeSignal wake_;
  Taker http2_;
  PeerTaker peers_;
  /// Of the thread: who have connected and said nothing yet, in the order in which they came.
  std::deque<Silent> silent_;
  std::thread thread_;
};

SharedPort::SharedPort(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
SharedPort::~SharedPort() = default;

absl::StatusOr<std::unique_ptr<SharedPort>> SharedPort::listen(const TaskAddress& address) {
  TROUPE_ASSIGN_OR_RETURN(Listening where, listen_on(address));
  return std::unique_ptr<SharedPort>(new SharedPort(std::make_unique<Impl>(std::move(where))));
}

uint16_t SharedPort::port() const { return impl_->port(); }

void SharedPort::serve(Taker http2, PeerTaker peers) { impl_->serve(std::move(http2), std::move(peers)); }

}  // namespace troupe
