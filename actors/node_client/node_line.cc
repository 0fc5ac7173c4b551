#include "actors/node_client/node_line.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "actors/sockets/dial.h"
#include "graph/status.h"

namespace troupe {
namespace {

constexpr size_t kReadBytes = size_t{256} << 10;

bool is_passing(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

}  // namespace

absl::StatusOr<std::unique_ptr<NodeLine>> NodeLine::connect(const TaskAddress& address,
                                                            std::chrono::milliseconds patience,
                                                            const std::shared_ptr<const TlsContext>& tls,
                                                            ChunkLimits limits) {
  TROUPE_ASSIGN_OR_RETURN(Socket socket, dial(address, patience));
  return std::unique_ptr<NodeLine>(new NodeLine(std::move(socket), limits, tls, address.host));
}

NodeLine::NodeLine(Socket socket, ChunkLimits limits, const std::shared_ptr<const TlsContext>& tls,
                   const std::string& host)
    : socket_(std::move(socket)), connection_(limits, tls, host), block_(kReadBytes) {}

absl::Status NodeLine::flush() {
  for (;;) {
    if (!waits_to_write()) {
      wire_.clear();
      written_ = 0;
      connection_.fill(&wire_);
      if (wire_.empty()) return absl::OkStatus();
    }
    const ssize_t n = ::send(socket_.get(), wire_.data() + written_, wire_.size() - written_, MSG_NOSIGNAL);
    if (n >= 0) {
      written_ += static_cast<size_t>(n);
    } else if (errno != EINTR) {
      return is_passing(errno) ? absl::OkStatus() : absl::UnavailableError(std::strerror(errno));
    }
  }
}

absl::Status NodeLine::read(std::vector<NodeMessage>* arrived) {
  const ssize_t n = ::recv(socket_.get(), block_.data(), block_.size(), 0);
  if (n == 0) return absl::UnavailableError("the connection was closed");
  if (n < 0) return is_passing(errno) ? absl::OkStatus() : absl::UnavailableError(std::strerror(errno));
  return connection_.feed({block_.data(), static_cast<size_t>(n)}, arrived);
}

}  // namespace troupe
