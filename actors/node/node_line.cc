#include "actors/node/node_line.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/types/span.h"
#include "actors/sockets/dial.h"
#include "graph/status.h"

namespace troupe {
namespace {

/// Of what is no part of a large message: on the stack of a thread that may be an application's.
constexpr size_t kReadBytes = size_t{32} << 10;
/// Behind the rest of a piece of one: the head of the next, and the small messages that came before it.
constexpr size_t kBetweenPieces = size_t{4} << 10;
/// What one call writes at most.
constexpr size_t kParts = 64;
/// What waits for the socket, and small messages behind it, has this many bytes at most, or little more.
constexpr size_t kWaiting = size_t{1} << 20;

bool is_passing(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

/// What the socket takes of the front.
ssize_t send_some(int socket, const absl::Cord& wire) {
  std::array<iovec, kParts> parts;
  msghdr message{};
  message.msg_iov = parts.data();
  for (absl::string_view bytes : wire.Chunks()) {
    if (message.msg_iovlen == kParts) break;
    parts[message.msg_iovlen++] = {const_cast<char*>(bytes.data()), bytes.size()};
  }
  return ::sendmsg(socket, &message, MSG_NOSIGNAL);
}

}  // namespace

absl::StatusOr<std::unique_ptr<NodeLine>> NodeLine::connect(const TaskAddress& address,
                                                            std::chrono::milliseconds patience,
                                                            const std::shared_ptr<const TlsContext>& tls,
                                                            ChunkLimits limits) {
  TROUPE_ASSIGN_OR_RETURN(Socket socket, dial(address, patience));
  return std::make_unique<NodeLine>(std::move(socket), limits, tls, address.host);
}

NodeLine::NodeLine(Socket socket, ChunkLimits limits, const std::shared_ptr<const TlsContext>& tls,
                   const std::string& host, Allocator* memory)
    : socket_(std::move(socket)), connection_(limits, tls, host, memory) {}

absl::Status NodeLine::flush() {
  for (;;) {
    connection_.fill(&wire_, kWaiting);
    if (wire_.empty()) return absl::OkStatus();
    const ssize_t n = send_some(socket_.get(), wire_);
    if (n >= 0) {
      wire_.RemovePrefix(static_cast<size_t>(n));
    } else if (errno != EINTR) {
      return is_passing(errno) ? absl::OkStatus() : absl::UnavailableError(std::strerror(errno));
    }
  }
}

absl::Status NodeLine::read(std::vector<NodeMessage>* arrived) {
  const absl::Span<char> piece = connection_.room();
  char block[kReadBytes];
  iovec to[2] = {{piece.data(), piece.size()}, {block, piece.empty() ? kReadBytes : kBetweenPieces}};
  msghdr message{};
  message.msg_iov = piece.empty() ? to + 1 : to;
  message.msg_iovlen = piece.empty() ? 1 : 2;
  const ssize_t n = ::recvmsg(socket_.get(), &message, 0);
  if (n == 0) return absl::UnavailableError("the connection was closed");
  if (n < 0) return is_passing(errno) ? absl::OkStatus() : absl::UnavailableError(std::strerror(errno));
  const size_t of_piece = std::min(static_cast<size_t>(n), piece.size());
  TROUPE_RETURN_IF_ERROR(connection_.feed({piece.data(), of_piece}, arrived));
  return connection_.feed({block, static_cast<size_t>(n) - of_piece}, arrived);
}

void NodeLine::say_no_more() { (void)::shutdown(socket_.get(), SHUT_WR); }

}  // namespace troupe
