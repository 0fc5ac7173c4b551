#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/cord.h"
#include "actors/cluster/cluster_spec.h"
#include "actors/node/peer_connection.h"
#include "actors/sockets/socket.h"

namespace troupe {

/// A socket to a node or a client of one, and the messages that go over it. It never waits, but to connect. One thread's.
class NodeLine {
 public:
  /// Blocks for the patience at most. As `dial`.
  static absl::StatusOr<std::unique_ptr<NodeLine>> connect(const TaskAddress& address,
                                                           std::chrono::milliseconds patience,
                                                           const std::shared_ptr<const TlsContext>& tls,
                                                           ChunkLimits limits);
  /// Over a socket that is connected and does not block. The others as PeerConnection's.
  NodeLine(Socket socket, ChunkLimits limits, const std::shared_ptr<const TlsContext>& tls,
           const std::string& host, Allocator* memory = plain_allocator());
  NodeLine(const NodeLine&) = delete;

  /// As Connection::send; `flush` takes it there.
  void send(const NodeMessage& message, Connection::Refused refused = nullptr) {
    connection_.send(message, std::move(refused));
  }
  /// The peer has said who he is.
  void trust() { connection_.trust(); }
  /// As PeerConnection's.
  absl::Status check_host(const std::string& host) const { return connection_.check_host(host); }
  /// Writes what the socket takes, from where it lies. Unavailable when it takes nothing any more.
  absl::Status flush();
  /// Takes some of what has come, appends the messages that it completes; the bytes of a large one go where they stay. Unavailable when the
  /// peer has ended the connection; else as Connection::feed.
  absl::Status read(std::vector<NodeMessage>* arrived);
  /// Nothing is written any more; what was goes on its way.
  void say_no_more();

  int socket() const { return socket_.get(); }
  /// Whether bytes wait for the socket.
  bool waits_to_write() const { return !wire_.empty(); }

 private:
  const Socket socket_;
  PeerConnection connection_;
  /// What goes next.
  absl::Cord wire_;
};

}  // namespace troupe
