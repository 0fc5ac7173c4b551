#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "actors/cluster/cluster_spec.h"
#include "actors/node/peer_connection.h"
#include "actors/sockets/socket.h"

namespace troupe {

/// A socket to a node, and the messages that go over it. It never waits, but to connect. One thread's.
class NodeLine {
 public:
  /// Blocks for the patience at most. As `dial`.
  static absl::StatusOr<std::unique_ptr<NodeLine>> connect(const TaskAddress& address,
                                                           std::chrono::milliseconds patience,
                                                           const std::shared_ptr<const TlsContext>& tls,
                                                           ChunkLimits limits);
  NodeLine(const NodeLine&) = delete;

  /// As Connection::send; `flush` takes it there.
  void send(const NodeMessage& message, Connection::Refused refused = nullptr) {
    connection_.send(message, std::move(refused));
  }
  /// The node has said who it is.
  void trust() { connection_.trust(); }
  /// Writes what the socket takes. Unavailable when it takes nothing any more.
  absl::Status flush();
  /// Takes what has come, appends the messages that it completes. Unavailable when the node has ended the connection; else as Connection::feed.
  absl::Status read(std::vector<NodeMessage>* arrived);

  int socket() const { return socket_.get(); }
  /// Whether bytes wait for the socket.
  bool waits_to_write() const { return written_ < wire_.size(); }

 private:
  NodeLine(Socket socket, ChunkLimits limits, const std::shared_ptr<const TlsContext>& tls,
           const std::string& host);

  const Socket socket_;
  PeerConnection connection_;
  std::vector<char> wire_;
  size_t written_ = 0;
  std::vector<char> block_;
};

}  // namespace troupe
