#pragma once

#include <string>
#include <vector>

#include "actors/node/cluster_node.h"
#include "actors/node/connection.h"
#include "actors/node/messages.h"
#include "actors/sockets/socket.h"

namespace troupe::test {

/// Somebody who connects to a node and speaks for himself, without TLS.
class Stranger {
 public:
  explicit Stranger(const ClusterNode& node);
  Stranger(const Stranger&) = delete;

  /// False when the node has ended the connection.
  bool say(const std::string& bytes);
  bool say(const NodeMessage& message) { return say(bytes_of(message)); }
  bool say_hello(const PeerId& me);
  /// On the wire.
  std::string bytes_of(const NodeMessage& message);

  /// Whether the node says something within ten seconds.
  bool is_answered();
  /// The answer to the question of that number, once it has come. Unknown when none does.
  absl::StatusOr<absl::Cord> answer_to(uint64_t id);
  /// Whether the node ends the connection within ten seconds; what it says before is in `heard`.
  bool is_turned_away();

  std::vector<NodeMessage> heard;

 private:
  /// Takes what comes next; false when nothing does within ten seconds, or the node has ended the connection, which `ended` then says.
  bool listen(bool* ended);

  Socket socket_;
  Connection connection_;
};

}  // namespace troupe::test
